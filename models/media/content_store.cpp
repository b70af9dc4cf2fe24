#include "media/content_store.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/check.hpp"

namespace tessera {

namespace {

/// Bits [slot, slot + n) of a chunk's mask.
constexpr std::uint8_t mask_of(std::uint32_t slot, std::uint32_t n) { return static_cast<std::uint8_t>(((1U << n) - 1) << slot); }

template <class F>
void each_bit(std::uint8_t mask, F&& f) {
  for (std::uint32_t bits = mask; bits != 0; bits &= bits - 1) f(static_cast<std::uint32_t>(__builtin_ctz(bits)));
}

Tag tag_at(ConstContentSpan sector, std::uint32_t block) {
  Tag tag = 0;
  std::memcpy(&tag, sector.data() + std::size_t{block} * sizeof(Tag), sizeof(Tag));
  return tag;
}

// What was written last and is kept as it is: a drive's logs go round in more.
constexpr std::size_t whole_system_bytes = std::size_t{2} << 20;
constexpr std::size_t whole_header_bytes = std::size_t{1} << 20;

void put_tag(ContentSpan sector, std::size_t offset, Tag tag) { std::memcpy(sector.data() + offset, &tag, sizeof(Tag)); }

}  // namespace

ContentStore::ContentStore(SectorShape shape, std::uint64_t tracks, std::uint32_t most_sectors)
    : shape_(shape),
      track_stride_((std::uint64_t{most_sectors} + chunk_sectors - 1) / chunk_sectors * chunk_sectors),
      part_shift_(
          static_cast<unsigned>(std::bit_width((std::max(track_stride_, std::uint64_t{chunk_sectors}) / chunk_sectors - 1) / parts))),
      occupied_((tracks + 63) / 64),
      system_(shape.sector_bytes, whole_system_bytes, shape.sector_bytes),
      headers_(chunk_sectors * sizeof(SectorHeader), whole_header_bytes, sizeof(SectorHeader)) {}

template <class F>
void ContentStore::each_chunk(std::uint64_t track, std::uint32_t first, std::uint32_t count, F&& f) const {
  const std::uint64_t begin = sector_key(track, first);
  for (std::uint32_t done = 0; done < count;) {
    const std::uint64_t key = begin + done;
    const auto slot = static_cast<std::uint32_t>(key % chunk_sectors);
    const std::uint32_t n = std::min(count - done, chunk_sectors - slot);
    f(key / chunk_sectors, slot, n, done);
    done += n;
  }
}

template <class Store, class F>
void ContentStore::each_held(Store& store, std::uint64_t track, std::uint32_t first, std::uint32_t count, F&& f) {
  const auto held = store.parts_.find(track);
  if (held == store.parts_.end() || count == 0) return;
  const std::uint64_t begin = store.sector_key(track, first);
  const std::uint64_t track_chunks = store.track_stride_ / chunk_sectors;
  const std::uint64_t first_chunk = begin / chunk_sectors;
  const std::uint64_t last_chunk = (begin + count - 1) / chunk_sectors;
  const std::uint64_t from = (first_chunk - track * track_chunks) >> store.part_shift_;
  const std::uint64_t to = (last_chunk - track * track_chunks) >> store.part_shift_;
  for (Parts left = held->second >> from << from & ~Parts{0} >> (parts - 1 - to); left != 0; left &= left - 1) {
    const std::uint64_t part = track * track_chunks + (static_cast<std::uint64_t>(std::countr_zero(left)) << store.part_shift_);
    const std::uint64_t end = std::min(last_chunk + 1, part + (std::uint64_t{1} << store.part_shift_));
    for (std::uint64_t key = std::max(first_chunk, part); key < end; ++key) {
      const auto found = store.chunks_.find(key);
      if (found == store.chunks_.end()) continue;
      const std::uint64_t sector = std::max(begin, key * chunk_sectors);
      const std::uint64_t sectors = std::min(begin + count, (key + 1) * chunk_sectors) - sector;
      f(found->second, sector, static_cast<std::uint32_t>(sectors), static_cast<std::uint32_t>(sector - begin));
    }
  }
}

/// The track holds something, or will: which parts of it is up to chunk_for_writing().
ContentStore::Parts& ContentStore::occupy(std::uint64_t track) {
  keep_initial(track);
  occupied_[track >> 6] |= std::uint64_t{1} << (track & 63);
  return parts_[track];
}

ContentStore::Chunk& ContentStore::chunk_for_writing(Parts& held, std::uint64_t chunk_key) {
  held |= Parts{1} << (chunk_key % (track_stride_ / chunk_sectors) >> part_shift_);
  return chunks_[chunk_key];
}

/// The track is about to change: from now on what it held before the simulation is kept here.
void ContentStore::keep_initial(std::uint64_t track) {
  if (!initial_on(track)) return;
  changed_initial_.push_back(track);
  occupied_[track >> 6] |= std::uint64_t{1} << (track & 63);
  const auto sectors = static_cast<std::uint32_t>(track_stride_);
  std::vector<std::byte> held(std::size_t{sectors} * shape_.kept());
  initial_->fill(track, 0, sectors, held);
  Parts& in_parts = parts_[track];
  for (std::uint32_t sector = 0; sector < sectors; ++sector) {
    const ConstContentSpan content = ConstContentSpan(held).subspan(std::size_t{sector} * shape_.kept(), shape_.kept());
    const std::uint64_t key = sector_key(track, sector);
    if (tag_at(content, 0) != never_written)
      store(chunk_for_writing(in_parts, key / chunk_sectors), static_cast<std::uint32_t>(key % chunk_sectors), key, content);
  }
}

void ContentStore::clear(Chunk& chunk, Mask mask) {
  damaged_sectors_ -= static_cast<std::uint64_t>(__builtin_popcount(chunk.damaged & mask));
  lost_sectors_ -= static_cast<std::uint64_t>(__builtin_popcount(chunk.lost & mask));
  const auto keep = static_cast<Mask>(~mask);
  chunk.kept &= keep;
  chunk.damaged &= keep;
  chunk.spoilt &= keep;
  chunk.lost &= keep;
  chunk.data &= keep;
  chunk.split &= keep;
  chunk.system &= keep;
  chunk.header &= keep;
}

void ContentStore::store(Chunk& chunk, std::uint32_t slot, std::uint64_t key, ConstContentSpan sector) {
  if (shape_.mode == ContentMode::bytes) {
    if (std::ranges::all_of(sector, [](std::byte byte) { return byte == std::byte{0}; })) return;  // as nothing reads
    SectorBytes& bytes = bytes_[key];
    if (!bytes) bytes = std::make_unique<std::byte[]>(sector.size());
    std::memcpy(bytes.get(), sector.data(), sector.size());
    chunk.kept |= mask_of(slot, 1);
    chunk.data |= mask_of(slot, 1);
    return;
  }
  const Tag first = tag_at(sector, 0);
  bool consecutive = first != never_written;
  bool blank = first == never_written;
  for (std::uint32_t block = 1; block < shape_.blocks(); ++block) {
    const Tag tag = tag_at(sector, block);
    consecutive = consecutive && tag == first + block;
    blank = blank && tag == never_written;
  }
  if (blank) return;
  chunk.kept |= mask_of(slot, 1);
  chunk.data |= mask_of(slot, 1);
  chunk.tags[slot] = first;
  if (consecutive) return;
  chunk.split |= mask_of(slot, 1);
  auto& tags = split_tags_[key];
  for (std::uint32_t block = 0; block < shape_.blocks(); ++block) tags[block] = tag_at(sector, block);
}

void ContentStore::write(std::uint64_t track, std::uint32_t first, std::uint32_t count, ConstContentSpan data) {
  if (data.empty()) {
    keep_initial(track);
    if (!kept_on(track)) return;
    each_held(*this, track, first, count,
              [this](Chunk& chunk, std::uint64_t sector, std::uint32_t n, std::uint32_t) { clear(chunk, mask_of(slot_of(sector), n)); });
    return;
  }
  TESSERA_CHECK(data.size() == std::size_t{count} * shape_.kept(), "data written to the media does not match its run");
  Parts& held = occupy(track);
  each_chunk(track, first, count, [&](std::uint64_t chunk_key, std::uint32_t slot, std::uint32_t n, std::uint32_t done) {
    Chunk& chunk = chunk_for_writing(held, chunk_key);
    clear(chunk, mask_of(slot, n));
    for (std::uint32_t i = 0; i < n; ++i)
      store(chunk, slot + i, chunk_key * chunk_sectors + slot + i, data.subspan(std::size_t{done + i} * shape_.kept(), shape_.kept()));
  });
}

void ContentStore::write_system(std::uint64_t track, std::uint32_t first, std::uint32_t count, std::span<const std::byte> bytes) {
  TESSERA_CHECK(bytes.size() == std::size_t{count} * shape_.sector_bytes, "system bytes do not match their run");
  Parts& held = occupy(track);
  each_chunk(track, first, count, [&](std::uint64_t chunk_key, std::uint32_t slot, std::uint32_t n, std::uint32_t done) {
    Chunk& chunk = chunk_for_writing(held, chunk_key);
    clear(chunk, mask_of(slot, n));
    for (std::uint32_t i = 0; i < n; ++i)
      system_.write(chunk_key * chunk_sectors + slot + i, bytes.subspan(std::size_t{done + i} * shape_.sector_bytes, shape_.sector_bytes));
    chunk.kept |= mask_of(slot, n);
    chunk.system |= mask_of(slot, n);
  });
}

void ContentStore::write_header(std::uint64_t track, std::uint32_t sector, const SectorHeader& header) {
  if (header == SectorHeader{}) return;  // as none reads
  const std::uint64_t key = sector_key(track, sector);
  Chunk& chunk = chunk_for_writing(occupy(track), key / chunk_sectors);
  const Mask bit = mask_of(static_cast<std::uint32_t>(key % chunk_sectors), 1);
  chunk.kept |= bit;
  chunk.header |= bit;
  put_header(key, header);
}

void ContentStore::damage(std::uint64_t track, std::uint32_t first, std::uint32_t count) {
  keep_initial(track);
  if (!kept_on(track)) return;
  each_held(*this, track, first, count, [this](Chunk& chunk, std::uint64_t sector, std::uint32_t n, std::uint32_t) {
    const std::uint32_t slot = slot_of(sector);
    const auto hit = static_cast<Mask>(chunk.kept & ~chunk.damaged & mask_of(slot, n));
    chunk.damaged |= hit;
    damaged_sectors_ += static_cast<std::uint64_t>(__builtin_popcount(hit));
  });
}

void ContentStore::destroy(std::uint64_t track, std::uint32_t sector) {
  const std::uint64_t key = sector_key(track, sector);
  Chunk& chunk = chunk_for_writing(occupy(track), key / chunk_sectors);
  const Mask bit = mask_of(static_cast<std::uint32_t>(key % chunk_sectors), 1);
  clear(chunk, bit);
  chunk.kept |= bit;
  damage(track, sector, 1);
}

void ContentStore::spoil(std::uint64_t track, std::uint32_t sector) {
  damage(track, sector, 1);
  const std::uint64_t key = sector_key(track, sector);
  const auto found = chunks_.find(key / chunk_sectors);
  if (found == chunks_.end()) return;
  Chunk& chunk = found->second;
  chunk.spoilt |= static_cast<Mask>(chunk.damaged & mask_of(static_cast<std::uint32_t>(key % chunk_sectors), 1));
}

void ContentStore::mark_lost(std::uint64_t track, std::uint32_t sector) {
  const std::uint64_t key = sector_key(track, sector);
  Chunk& chunk = chunk_for_writing(occupy(track), key / chunk_sectors);
  const Mask bit = mask_of(static_cast<std::uint32_t>(key % chunk_sectors), 1);
  chunk.kept |= bit;
  lost_sectors_ += (chunk.lost & bit) == 0;
  chunk.lost |= bit;
}

template <class F>
Status ContentStore::status_by(std::uint64_t track, std::uint32_t first, std::uint32_t count, F&& damaged) const {
  if ((damaged_sectors_ == 0 && lost_sectors_ == 0) || !kept_on(track)) return Status::ok;
  bool any_spoilt = false;
  bool any_damaged = false;
  bool any_lost = false;
  each_held(*this, track, first, count, [&](const Chunk& chunk, std::uint64_t sector, std::uint32_t n, std::uint32_t) {
    const Mask mask = mask_of(slot_of(sector), n);
    any_spoilt = any_spoilt || (chunk.spoilt & mask) != 0;
    any_damaged = any_damaged || (damaged(chunk) & mask) != 0;
    any_lost = any_lost || (chunk.lost & mask) != 0;
  });
  if (any_spoilt) return Status::media_error;
  return any_damaged ? Status::damaged : any_lost ? Status::lost : Status::ok;
}

Status ContentStore::status_of(std::uint64_t track, std::uint32_t first, std::uint32_t count) const {
  return status_by(track, first, count, [](const Chunk& chunk) { return chunk.damaged; });
}

Status ContentStore::header_status(std::uint64_t track, std::uint32_t first, std::uint32_t count) const {
  return status_by(track, first, count, [](const Chunk& chunk) {
    const unsigned data_alone = chunk.data & ~unsigned{chunk.header} & ~unsigned{chunk.system} & ~unsigned{chunk.lost};
    return chunk.damaged & ~data_alone;
  });
}

void ContentStore::mark_destroyed(ContentSpan sector) const {
  if (sector.empty()) return;
  std::memset(sector.data(), 0, sector.size());
  const std::size_t stride = kept_per_block(shape_.mode);
  for (std::size_t offset = 0; offset < sector.size(); offset += stride) put_tag(sector, offset, destroyed);
}

void ContentStore::load(const Chunk& chunk, std::uint32_t slot, std::uint64_t key, ContentSpan sector) const {
  const Mask bit = mask_of(slot, 1);
  if (((chunk.damaged | chunk.lost) & bit) != 0) {
    mark_destroyed(sector);
  } else if ((chunk.data & bit) == 0) {
    std::memset(sector.data(), 0, sector.size());
  } else if (shape_.mode == ContentMode::bytes) {
    std::memcpy(sector.data(), bytes_.find(key)->second.get(), sector.size());
  } else if ((chunk.split & bit) != 0) {
    std::memcpy(sector.data(), split_tags_.find(key)->second.data(), sector.size());
  } else {
    const Tag first = chunk.tags[slot];
    for (std::uint32_t block = 0; block < shape_.blocks(); ++block) put_tag(sector, std::size_t{block} * sizeof(Tag), first + block);
  }
}

Status ContentStore::read(std::uint64_t track, std::uint32_t first, std::uint32_t count, ContentSpan data) const {
  if (!data.empty()) {
    TESSERA_CHECK(data.size() == std::size_t{count} * shape_.kept(), "data read from the media does not match its run");
    std::memset(data.data(), 0, data.size());
    if (initial_on(track)) {
      initial_->fill(track, first, count, data);
    } else if (kept_on(track)) {
      each_held(*this, track, first, count, [&](const Chunk& chunk, std::uint64_t sector, std::uint32_t n, std::uint32_t done) {
        for (std::uint32_t i = 0; i < n; ++i)
          load(chunk, slot_of(sector) + i, sector + i, data.subspan(std::size_t{done + i} * shape_.kept(), shape_.kept()));
      });
    }
  }
  return status_of(track, first, count);
}

Status ContentStore::read_system(std::uint64_t track, std::uint32_t first, std::uint32_t count, std::span<std::byte> bytes) const {
  TESSERA_CHECK(bytes.size() == std::size_t{count} * shape_.sector_bytes, "system bytes do not match their run");
  std::memset(bytes.data(), 0, bytes.size());
  if (!kept_on(track)) return Status::ok;
  each_held(*this, track, first, count, [&](const Chunk& chunk, std::uint64_t sector, std::uint32_t n, std::uint32_t done) {
    const std::uint32_t slot = slot_of(sector);
    const auto good = static_cast<Mask>(chunk.system & ~chunk.damaged & mask_of(slot, n));
    each_bit(good, [&](std::uint32_t bit) {
      system_.read(sector - slot + bit, 0, bytes.subspan(std::size_t{done + bit - slot} * shape_.sector_bytes, shape_.sector_bytes));
    });
  });
  return header_status(track, first, count);
}

void ContentStore::read_header(std::uint64_t track, std::uint32_t sector, SectorHeader& header) const {
  header.fill(std::byte{0});
  if (!kept_on(track)) return;
  const std::uint64_t key = sector_key(track, sector);
  const auto chunk = chunks_.find(key / chunk_sectors);
  if (chunk != chunks_.end() && holds_header(chunk->second, static_cast<std::uint32_t>(key % chunk_sectors))) header = header_at(key);
}

SectorHeader ContentStore::header_at(std::uint64_t key) const {
  SectorHeader header;
  headers_.read(key / chunk_sectors, key % chunk_sectors * sizeof(header), header);
  return header;
}

void ContentStore::put_header(std::uint64_t key, const SectorHeader& header) {
  headers_.write_part(key / chunk_sectors, key % chunk_sectors * sizeof(header), header);
}

}  // namespace tessera
