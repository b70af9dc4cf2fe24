#include "firmware/shared/backup_region.hpp"

#include <algorithm>

#include "firmware/shared/header_scan.hpp"

namespace tessera {

namespace {

// Payload of a backup record: the target's surface and radius, then a word for each saved run.
constexpr std::uint64_t pack(std::uint32_t high, std::uint32_t low) { return std::uint64_t{high} << 32 | low; }
constexpr std::uint32_t high(std::uint64_t value) { return static_cast<std::uint32_t>(value >> 32); }
constexpr std::uint32_t low(std::uint64_t value) { return static_cast<std::uint32_t>(value); }

// A saved run in a word: its distance from the target in radii (8 bits, signed), first sector and count (28 bits each). No run
// of that number is a word with count 0.
constexpr std::uint32_t index_bits = 28;
constexpr std::uint64_t index_mask = (std::uint64_t{1} << index_bits) - 1;

std::uint64_t pack(const PhysicalRun& run, const PhysicalTrack& target) {
  const auto distance = static_cast<std::int64_t>(run.track.radius) - static_cast<std::int64_t>(target.radius);
  TESSERA_CHECK(run.track.surface == target.surface && distance >= -128 && distance < 128, "a saved run is no neighbour of its target");
  return static_cast<std::uint64_t>(distance) << 2 * index_bits | std::uint64_t{run.first} << index_bits | run.count;
}

PhysicalRun unpack(std::uint64_t word, const PhysicalTrack& target) {
  const std::int64_t distance = static_cast<std::int64_t>(word) >> 2 * index_bits;
  return {{target.surface, static_cast<std::uint32_t>(target.radius + distance)},
          static_cast<std::uint32_t>(word >> index_bits & index_mask),
          static_cast<std::uint32_t>(word & index_mask)};
}

std::array<std::uint64_t, 5> payload_of(const PhysicalRun& target, const Neighbours& saved) {
  std::array<std::uint64_t, 5> payload{pack(target.track.surface, target.track.radius)};
  for (std::uint32_t i = 0; i < saved.count; ++i) payload[1 + i] = pack(saved.runs[i], target.track);
  return payload;
}

Neighbours saved_in(const std::array<std::uint64_t, 5>& payload) {
  static_assert(Neighbours::most + 1 <= std::tuple_size_v<decltype(LogRecord::payload)>);
  Neighbours saved;
  const PhysicalTrack target{high(payload[0]), low(payload[0])};
  for (std::size_t i = 1; i <= Neighbours::most && (payload[i] & index_mask) != 0; ++i) saved.add(unpack(payload[i], target));
  return saved;
}

}  // namespace

std::uint64_t BackupRegion::radii_needed(const DriveGeometry& geometry, std::uint32_t radius, std::uint32_t largest) {
  const std::uint32_t track = geometry.zone_of(radius).sectors_per_track;
  const std::uint64_t tracks = std::max<std::uint64_t>(3, (largest + track - 1) / track + 1);
  return (tracks + geometry.surfaces - 1) / geometry.surfaces;
}

BackupRegion::BackupRegion(const Ports& ports, const DriveGeometry& geometry, const FormatPlan& regions)
    : media_(ports.media),
      turns_(ports.cpu),
      layout_(geometry, regions, ports.media, ConventionalLayout::Reserve::none),
      ring_(layout_.sectors()) {}

PhysicalRun BackupRegion::place(std::uint64_t position, std::uint32_t count) const {
  return layout_.piece({LogicalSector(position), static_cast<std::uint32_t>(std::min<std::uint64_t>(count, ring_ - position))});
}

/// The track behind the newest record.
BackupRegion::Extent BackupRegion::next_track() const {
  std::uint64_t start = 0;
  if (newest_.count != 0) {
    const std::uint64_t last = newest_.last(ring_);
    const PhysicalRun newest = place(last, 1);
    const std::uint32_t rest = media_.sectors_on(newest.track) - newest.first;
    start = (last + rest) % ring_;
  }
  return {start, media_.sectors_on(place(start, 1).track)};
}

/// What fits on one track goes half a turn away from `angle`, where the head has just been and must be again: the way there and the
/// way back then have half a turn each. Where slipped defects have made the region's tracks too short for a record that begins with
/// a track, it begins behind the newest one.
BackupRegion::Extent BackupRegion::next_extent(std::uint32_t sectors, std::uint64_t angle) const {
  const Extent track = next_track();
  if (sectors < track.count) {
    const auto opposite = static_cast<std::uint32_t>(((angle + full_turn / 2) % full_turn * track.count) >> 32);
    return {track.start + std::min(opposite, track.count - sectors), sectors};
  }
  const Extent extent{track.start, sectors};
  return overwrites_newest(extent) ? Extent{(newest_.last(ring_) + 1) % ring_, sectors} : extent;
}

bool BackupRegion::overwrites_newest(const Extent& extent) const {
  if (newest_.count == 0) return false;
  const std::uint64_t to_newest = (newest_.start + ring_ - extent.start) % ring_;
  const std::uint64_t from_newest = (extent.start + ring_ - newest_.start) % ring_;
  return to_newest < extent.count || from_newest < newest_.count;
}

Task<Status> BackupRegion::make_room(std::uint32_t sectors) {
  TESSERA_CHECK(sectors < ring_, "a backup region is too small");
  const Extent track = next_track();
  if (!overwrites_newest({track.start, std::max(track.count, sectors)})) co_return Status::ok;
  co_return co_await void_record();
}

void BackupRegion::add_steps(MediaChain& chain, const PhysicalRun& target, const Neighbours& saved, DataSpan data, SectorHeader& header) {
  next_ = next_extent(saved.sectors(), angle_of(target.first, media_.sectors_on(target.track)));
  next_described_ = saved;
  TESSERA_CHECK(!overwrites_newest(next_), "a backup would overwrite the newest record");
  header = encode({RecordType::backup, sequence_ + 1, next_.count, payload_of(target, saved)});
  for (std::uint32_t done = 0; done < next_.count;) {
    const PhysicalRun piece = place((next_.start + done) % ring_, next_.count - done);
    const bool last = done + piece.count == next_.count;
    chain.write(piece, data.part(done, piece.count), done == 0 ? StepHint::backup_round_trip : StepHint::position,
                last ? &header : nullptr);
    done += piece.count;
  }
}

void BackupRegion::commit() {
  ++sequence_;
  newest_ = next_;
  described_ = next_described_;
  sectors_written_ += newest_.count;
}

bool BackupRegion::describes(const PhysicalRun& run) const {
  return std::any_of(described_.runs.begin(), described_.runs.begin() + described_.count, [&run](const PhysicalRun& saved) {
    return saved.track == run.track && saved.first < run.first + run.count && run.first < saved.first + saved.count;
  });
}

Task<Status> BackupRegion::void_record() {
  const std::uint64_t last = newest_.last(ring_);
  const PhysicalRun sector = place(last, 1);
  SectorHeader header = encode({RecordType::voided, sequence_ + 1, 1, {}});
  MediaChain chain(MediaClass::dependent);
  chain.write(sector, {}, StepHint::position, &header);
  const Status status = co_await media_.run(chain);
  if (!ok(status)) co_return status;
  ++sequence_;
  newest_ = {last, 1};
  described_ = {};
  ++voids_;
  ++sectors_written_;
  co_return Status::ok;
}

Task<Status> BackupRegion::recover(DataBuffer& scratch) {
  co_await find_newest();
  if (described_.count == 0) co_return Status::ok;
  for (std::uint32_t i = 0; i < described_.count; ++i) {
    const PhysicalRun run = described_.runs[i];
    const DataSpan data = scratch.part(0, run.count);
    Status status = co_await read_back(i, data);
    if (!ok(status)) co_return status;
    MediaChain chain(MediaClass::host);
    chain.write(run, data);
    status = co_await media_.run(chain);
    if (!ok(status)) co_return status;
  }
  co_return co_await void_record();
}

/// Looks at the whole region.
Task<void> BackupRegion::find_newest() {
  HeaderScan scan(media_);
  std::array<PhysicalRun, HeaderScan::most> sectors{};
  for (std::uint64_t begin = 0; begin < ring_; begin += HeaderScan::most) {
    const auto count = static_cast<std::uint32_t>(std::min<std::uint64_t>(HeaderScan::most, ring_ - begin));
    for (std::uint32_t i = 0; i < count; ++i) sectors[i] = place(begin + i, 1);
    co_await scan.read(sectors, count);
    for (std::uint32_t i = 0; i < count; ++i) {
      // A sector that the cut made unreadable is of a record that was not complete, hence not the newest.
      const SectorHeader* const header = scan.header(i);
      const std::optional<LogRecord> record = header == nullptr ? std::nullopt : decode(*header);
      if (!record || record->sequence <= sequence_) continue;
      sequence_ = record->sequence;
      newest_ = {(begin + i + ring_ - (record->length - 1)) % ring_, record->length};
      described_ = record->type == RecordType::backup ? saved_in(record->payload) : Neighbours{};
    }
  }
}

/// The content of described_.runs[which].
Task<Status> BackupRegion::read_back(std::uint32_t which, DataSpan data) {
  const std::uint64_t start = newest_.start + described_.sectors_before(which);
  for (std::uint32_t done = 0; done < data.count;) {
    const PhysicalRun piece = place((start + done) % ring_, data.count - done);
    const DataSpan part = data.part(done, piece.count);
    MediaChain chain(MediaClass::host);
    chain.read(piece, part);
    const Status status = co_await media_.run(chain);
    if (!ok(status)) co_return status;
    done += piece.count;
  }
  co_return Status::ok;
}

}  // namespace tessera
