#include "firmware/shared/backup_region.hpp"

#include <algorithm>

#include "firmware/shared/header_scan.hpp"

namespace tessera {

namespace {

// Payload of a backup record: its sector's place in the record, the target's surface and radius, then a word for each saved run.
constexpr std::uint64_t pack(std::uint32_t high, std::uint32_t low) { return std::uint64_t{high} << 32 | low; }
constexpr std::uint32_t high(std::uint64_t value) { return static_cast<std::uint32_t>(value >> 32); }
constexpr std::uint32_t low(std::uint64_t value) { return static_cast<std::uint32_t>(value); }

constexpr std::uint32_t surface_bits = 8;
constexpr std::uint32_t surface_mask = (1U << surface_bits) - 1;

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

/// Of sector `index` of the record.
std::array<std::uint64_t, 5> payload_of(std::uint32_t index, const PhysicalRun& target, const Neighbours& saved) {
  TESSERA_CHECK(target.track.surface <= surface_mask, "a backup record has no room for the number of a surface");
  std::array<std::uint64_t, 5> payload{pack(index << surface_bits | target.track.surface, target.track.radius)};
  for (std::uint32_t i = 0; i < saved.count; ++i) payload[1 + i] = pack(saved.runs[i], target.track);
  return payload;
}

std::uint32_t index_in(const LogRecord& record) { return high(record.payload[0]) >> surface_bits; }

Neighbours saved_in(const std::array<std::uint64_t, 5>& payload) {
  static_assert(Neighbours::most + 1 <= std::tuple_size_v<decltype(LogRecord::payload)>);
  Neighbours saved;
  const PhysicalTrack target{high(payload[0]) & surface_mask, low(payload[0])};
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

void BackupRegion::add_steps(MediaChain& chain, const PhysicalRun& target, const Neighbours& saved, DataSpan data) {
  next_ = next_extent(saved.sectors(), angle_of(target.first, media_.sectors_on(target.track)));
  next_described_ = saved;
  TESSERA_CHECK(!overwrites_newest(next_), "a backup would overwrite the newest record");
  headers_.clear();
  for (std::uint32_t i = 0; i < next_.count; ++i)
    headers_.push_back(encode({RecordType::backup, sequence_ + 1, next_.count, payload_of(i, target, saved)}));
  for (std::uint32_t done = 0; done < next_.count;) {
    MediaStep step;
    step.op = MediaOp::write;
    step.hint = done == 0 ? StepHint::backup_round_trip : StepHint::position;
    step.run = place((next_.start + done) % ring_, next_.count - done);
    step.data = data.part(done, step.run.count);
    step.headers = std::span(headers_).subspan(done, step.run.count);
    chain.add(step);
    done += step.run.count;
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

/// What can be read of the saved runs needs no restoring: it was not destroyed, or is back, or is newer. So a record that is not in
/// force, because a newer one or the sector that voids it cannot be read, does no harm, nor does one that a cut left incomplete.
Task<Status> BackupRegion::recover(DataBuffer& scratch) {
  co_await find_newest();
  if (described_.count == 0) co_return Status::ok;
  for (std::uint32_t i = 0; i < described_.count; ++i) {
    const DataSpan data = scratch.part(described_.sectors_before(i), described_.runs[i].count);
    MediaChain chain(MediaClass::host, LostSectors::carry);
    chain.read(described_.runs[i], data);
    const Status status = co_await media_.run(chain);
    if (!ok(status)) co_return status;
  }
  // Of a record that a cut left incomplete nothing is lost, as the target was not written yet: nothing may be rewritten either, since
  // another cut in the middle of that would destroy what is saved nowhere.
  std::uint32_t first = 0;
  while (first < described_.count && !any_lost(scratch.part(described_.sectors_before(first), described_.runs[first].count))) ++first;
  const Status filled = co_await fill_in(scratch);
  if (!ok(filled)) co_return filled;
  // In the order in which they were saved: a rewrite may destroy the runs behind it.
  for (std::uint32_t i = first; i < described_.count; ++i) {
    MediaChain chain(MediaClass::host);
    chain.write(described_.runs[i], scratch.part(described_.sectors_before(i), described_.runs[i].count));
    const Status status = co_await media_.run(chain);
    if (!ok(status)) co_return status;
  }
  co_return co_await void_record();
}

/// Looks at the whole region. The newest record is known by any of its sectors that can be read.
Task<void> BackupRegion::find_newest() {
  HeaderScan scan(media_);
  std::uint32_t count = 0;
  for (std::uint64_t begin = 0; begin < ring_; begin += count) {
    count = co_await scan.read(layout_, begin, ring_);
    for (std::uint32_t i = 0; i < count; ++i) {
      const std::optional<LogRecord> record = scan.record(i);
      if (!record || record->sequence <= sequence_) continue;
      const bool in_force = record->type == RecordType::backup;
      sequence_ = record->sequence;
      newest_ = {(begin + i + ring_ - (in_force ? index_in(*record) : 0)) % ring_, record->length};
      described_ = in_force ? saved_in(record->payload) : Neighbours{};
    }
  }
}

/// The lost sectors of `saved`, the described runs one after another, as the newest record has them.
Task<Status> BackupRegion::fill_in(DataBuffer& saved) {
  for (std::uint32_t first = 0; first < newest_.count; ++first) {
    if (!saved.is_lost(first)) continue;
    std::uint32_t count = 1;
    while (first + count < newest_.count && saved.is_lost(first + count)) ++count;
    const DataSpan data = saved.part(first, count);
    const Status status = co_await read_back(first, data);
    if (!ok(status)) co_return status;
    first += count;
  }
  co_return Status::ok;
}

/// Sectors of the newest record from `first` on; one that cannot be read, or was not written when a cut came, stays lost.
Task<Status> BackupRegion::read_back(std::uint32_t first, DataSpan data) {
  for (std::uint32_t done = 0; done < data.count;) {
    MediaStep step;
    step.run = place((newest_.start + first + done) % ring_, data.count - done);
    step.data = data.part(done, step.run.count);
    headers_.assign(step.run.count, SectorHeader{});
    step.headers = headers_;
    MediaChain chain(MediaClass::host, LostSectors::carry);
    chain.add(step);
    const Status status = co_await media_.run(chain);
    if (!ok(status)) co_return status;
    for (std::uint32_t i = 0; i < step.run.count; ++i) {
      const std::optional<LogRecord> record = decode(headers_[i]);
      const bool saved = record && record->sequence == sequence_ && index_in(*record) == first + done + i;
      if (!saved) step.data.buffer->mark_lost(step.data.first + i);
    }
    done += step.run.count;
  }
  co_return Status::ok;
}

}  // namespace tessera
