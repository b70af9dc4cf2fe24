// What the platters hold, in a stream: runs of sectors that are alike, in ascending order.
//
//   run      gap to the end of the run before, plus 1 (0: there is none), sectors, what they hold, tag of the first block
//   sectors  of each what does not follow from the run: tags that are not consecutive, bytes, firmware's own bytes, header
#include <algorithm>

#include "base/state_stream.hpp"
#include "media/content_store.hpp"

namespace tessera {

namespace {

// What a sector holds, a bit each.
constexpr unsigned damaged_bit = 1;
constexpr unsigned lost_bit = 2;
constexpr unsigned data_bit = 4;
constexpr unsigned split_bit = 8;
constexpr unsigned system_bit = 16;
constexpr unsigned header_bit = 32;
constexpr unsigned spoilt_bit = 64;
constexpr unsigned all_bits = 128;

}  // namespace

unsigned ContentStore::kinds_of(const Chunk& chunk, std::uint32_t slot) {
  const auto kind = [slot](Mask mask, unsigned bit) { return (mask >> slot & 1) != 0 ? bit : 0; };
  return kind(chunk.damaged, damaged_bit) | kind(chunk.lost, lost_bit) | kind(chunk.data, data_bit) | kind(chunk.split, split_bit) |
         kind(chunk.system, system_bit) | kind(chunk.header, header_bit) | kind(chunk.spoilt, spoilt_bit);
}

/// Whether the run's tags follow from that of its first block.
bool ContentStore::tags_follow(unsigned kinds) const {
  return shape_.mode == ContentMode::tags && (kinds & data_bit) != 0 && (kinds & split_bit) == 0;
}

void ContentStore::save_state(StateWriter& out) const {
  std::vector<std::uint64_t> tracks;
  for (std::uint64_t track = 0; track < occupied_.size() * 64; ++track) {
    if (track % 64 == 0 && occupied_[track / 64] == 0)
      track += 63;
    else if (kept_on(track))
      tracks.push_back(track);
  }
  out.sorted(tracks);
  out.number(changed_initial_.size());
  for (const std::uint64_t track : changed_initial_) out.number(track);

  std::vector<std::uint64_t> keys;
  keys.reserve(chunks_.size());
  for (const auto& [key, chunk] : chunks_) keys.push_back(key);
  std::ranges::sort(keys);
  SavedRun run;
  std::uint64_t end = 0;  // of the run before
  for (const std::uint64_t key : keys) {
    const Chunk& chunk = chunks_.find(key)->second;
    for (std::uint32_t slot = 0; slot < chunk_sectors; ++slot) {
      if ((chunk.kept >> slot & 1) == 0) continue;
      const SavedRun one{key * chunk_sectors + slot, 1, kinds_of(chunk, slot), chunk.tags[slot]};
      const bool joins = run.count != 0 && one.first == run.first + run.count && one.kinds == run.kinds &&
                         (!tags_follow(run.kinds) || one.tag == run.tag + run.count * shape_.blocks());
      if (joins) {
        ++run.count;
        continue;
      }
      save_run(run, end, out);
      end = run.first + run.count;
      run = one;
    }
  }
  save_run(run, end, out);
  out.number(0);
}

void ContentStore::save_run(const SavedRun& run, std::uint64_t end, StateWriter& out) const {
  if (run.count == 0) return;
  out.number(run.first - end + 1);
  out.number(run.count);
  out.number(run.kinds);
  if (tags_follow(run.kinds)) out.number(run.tag);
  std::vector<std::byte> sector(shape_.sector_bytes);
  for (std::uint64_t key = run.first; key < run.first + run.count; ++key) {
    if ((run.kinds & data_bit) != 0 && shape_.mode == ContentMode::bytes) out.bytes({bytes_.find(key)->second.get(), shape_.kept()});
    if ((run.kinds & split_bit) != 0)
      for (std::uint32_t block = 0; block < shape_.blocks(); ++block) out.number(split_tags_.find(key)->second[block]);
    if ((run.kinds & system_bit) != 0) {
      system_.read(key, 0, sector);
      out.bytes(sector);
    }
    if ((run.kinds & header_bit) != 0) out.bytes(header_at(key));
  }
}

void ContentStore::load_state(StateReader& in) {
  std::ranges::fill(occupied_, 0);
  changed_initial_.clear();
  parts_.clear();
  chunks_.clear();
  damaged_sectors_ = lost_sectors_ = 0;
  const std::uint64_t tracks = occupied_.size() * 64;
  for (const std::uint64_t track : in.sorted(tracks)) occupied_[track >> 6] |= std::uint64_t{1} << (track & 63);
  for (std::size_t left = in.count(tracks); left > 0; --left) changed_initial_.push_back(in.number(tracks));

  const std::uint64_t sectors = tracks * track_stride_;
  std::uint64_t end = 0;
  for (std::uint64_t gap = in.number(); gap != 0; gap = in.number()) {
    SavedRun run;
    in.require(gap - 1 < sectors - end, "a sector lies outside the drive");
    run.first = end + gap - 1;
    run.count = in.number(sectors - run.first + 1);
    run.kinds = static_cast<unsigned>(in.number(all_bits));
    const bool data = (run.kinds & data_bit) != 0;
    in.require(!data || shape_.mode != ContentMode::none, "a sector holds content that this mode does not keep");
    in.require((run.kinds & split_bit) == 0 || (data && shape_.mode == ContentMode::tags), "tags without data");
    if (tags_follow(run.kinds)) run.tag = in.number();
    load_run(run, in);
    end = run.first + run.count;
  }
}

void ContentStore::load_run(const SavedRun& run, StateReader& in) {
  std::vector<std::byte> sector(shape_.sector_bytes);
  for (std::uint64_t key = run.first; key < run.first + run.count; ++key) {
    in.require(kept_on(key / track_stride_), "a sector lies on a track that holds nothing");
    Chunk& chunk = chunk_for_writing(parts_[key / track_stride_], key / chunk_sectors);
    const Mask bit = static_cast<Mask>(1U << key % chunk_sectors);
    const auto take = [&run, bit](Mask& mask, unsigned kind) {
      if ((run.kinds & kind) != 0) mask |= bit;
    };
    chunk.kept |= bit;
    take(chunk.damaged, damaged_bit);
    take(chunk.lost, lost_bit);
    take(chunk.data, data_bit);
    take(chunk.split, split_bit);
    take(chunk.system, system_bit);
    take(chunk.header, header_bit);
    take(chunk.spoilt, spoilt_bit);
    damaged_sectors_ += (run.kinds & damaged_bit) != 0;
    lost_sectors_ += (run.kinds & lost_bit) != 0;
    if (tags_follow(run.kinds)) chunk.tags[key % chunk_sectors] = run.tag + (key - run.first) * shape_.blocks();
    if ((run.kinds & data_bit) != 0 && shape_.mode == ContentMode::bytes) {
      SectorBytes& bytes = bytes_[key];
      if (!bytes) bytes = std::make_unique<std::byte[]>(shape_.kept());
      in.bytes({bytes.get(), shape_.kept()});
    }
    if ((run.kinds & split_bit) != 0)
      for (std::uint32_t block = 0; block < shape_.blocks(); ++block) split_tags_[key][block] = in.number();
    if ((run.kinds & system_bit) != 0) {
      in.bytes(sector);
      system_.write(key, sector);
    }
    if ((run.kinds & header_bit) != 0) {
      SectorHeader header;
      in.bytes(header);
      put_header(key, header);
    }
  }
}

}  // namespace tessera
