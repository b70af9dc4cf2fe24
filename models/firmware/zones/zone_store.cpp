#include "firmware/zones/zone_store.hpp"

#include <algorithm>

#include "base/check.hpp"
#include "firmware/flash/band_sweep.hpp"
#include "firmware/layers/lap_timer.hpp"
#include "firmware/layout/plan_regions.hpp"

namespace tessera {

ZoneStore::ZoneStore(const Ports& ports, const ZoneConfig& config, const DriveGeometry& geometry, const FormatPlan& plan, ZoneNotes* notes)
    : ports_(ports),
      in_place_(config.in_place()),
      zone_sectors_(config.zone_sectors(geometry.sector_bytes)),
      layout_(geometry, regions_named(plan, "bands"), zone_sectors_, ports.media),
      map_(ports, geometry, in_place_ ? FormatPlan{} : regions_named(plan, "log"),
           static_cast<std::uint32_t>(config.zones != 0 ? config.zones : layout_.bands() - config.spares()),
           static_cast<std::uint32_t>(layout_.bands()), notes),
      holes_(ports.memory, map_.zones(), zone_sectors_, config.hole_maps),
      round_(ports.memory.reserve_buffer(MemoryCategory::merge_buffer, config.round_sectors(geometry.sector_bytes), "merge buffer")),
      turns_(ports.cpu) {}

ZoneRun ZoneStore::piece(LogicalRun run) const {
  const std::uint32_t offset = offset_of(run.first);
  return {zone_of(run.first), offset, std::min(run.count, zone_sectors_ - offset)};
}

Task<Status> ZoneStore::recover() { co_return co_await map_.recover(zone_sectors_); }

void ZoneStore::prefill(std::uint64_t sectors) {
  for (std::uint32_t zone = 0; zone < zones() && sectors != 0; ++zone) {
    const auto written = static_cast<std::uint32_t>(std::min<std::uint64_t>(sectors, zone_sectors_));
    map_.prefill(zone, written);
    sectors -= written;
  }
}

Task<Status> ZoneStore::read(ZoneRun run, DataSpan data) {
  const ZoneState state = map_.state(run.zone);
  const std::uint32_t written = state.write_pointer > run.offset ? std::min(run.count, state.write_pointer - run.offset) : 0;
  const DataSpan stored = data.part(0, written);
  const Status status = co_await transfer(MediaOp::read, state.place, run.offset, stored, MediaClass::host);
  if (written == run.count) co_return status;
  const DataSpan rest = data.part(written, run.count - written);
  // What lies there was given up, and may be destroyed: the heads pass all of it, as over sectors that were never written.
  static_cast<void>(co_await sweep_band(
      ports_.media, layout_, {MediaOp::read, state.place, run.offset + written, rest, MediaClass::host, nullptr, LostSectors::carry}));
  ports_.memory.clear(rest);
  co_return status;
}

Task<Status> ZoneStore::write_back(WriteBack job, VictimSource& source) {
  auto turn = turns_.exclusive({});
  co_await turn;
  if (!ok(map_.status())) co_return map_.status();
  TESSERA_CHECK(!source.offsets().empty(), "a write-back without victims");
  const ZoneState& old = map_.state(job.zone);
  const std::uint32_t first_victim = source.offsets().front();
  const bool overlaps = first_victim < old.write_pointer;
  const std::uint32_t kept = overlaps ? holes_.end_of_valid(job.zone, old.write_pointer) : 0;
  const Picoseconds begin = ports_.cpu.now();
  if (overlaps && kept <= first_victim && !in_place_) {
    const Status lowered = co_await lower(job.zone, kept);
    if (!ok(lowered)) co_return lowered;
  }
  const bool appends = first_victim >= old.write_pointer;
  Image image;
  image.appends = appends;
  image.from = old.place;
  image.to = appends || in_place_ ? old.place : map_.spare();
  image.first = appends ? old.write_pointer : 0;
  image.kept = appends ? 0 : kept;
  image.end = std::max(image.kept, source.offsets().back() + 1);

  const char* const kind = appends ? "append" : "rmw";
  ports_.cpu.event({kind, FirmwareEvent::Edge::begin, job.zone, source.offsets().size()});
  Status status = co_await write_image(image, source);
  // The victims are in their zone before the record says so, and the record says so before the buffer gives their slots away.
  const ZoneState renewed{image.to, image.end, job.watermark};
  const std::span<const std::byte> note = source.note();
  if (ok(status)) status = co_await map_.commit(job.zone, renewed, note);
  ports_.cpu.event({kind, FirmwareEvent::Edge::end, job.zone, image.end - image.first});
  if (!ok(status)) co_return status;

  const std::uint32_t holes = note_holes(job.zone, source.offsets(), image);
  statistics_.victims += source.offsets().size();
  statistics_.padding += holes;
  statistics_.written += image.end - image.first;
  if (appends) {
    ++statistics_.rmw_free;
    co_return Status::ok;
  }
  statistics_.rmw.record(ports_.cpu.now() - begin);
  statistics_.rmw_times += image.times;
  co_return Status::ok;
}

/// What lies from `end` on was trimmed. The log says so before anything destroys it: no boot may take remains for its content.
Task<Status> ZoneStore::lower(std::uint32_t zone, std::uint32_t end) {
  ZoneState lowered = map_.state(zone);
  lowered.write_pointer = end;
  const Status status = co_await map_.commit(zone, lowered, {});
  if (ok(status) && holes_.count_valid(zone, end) == end) holes_.clear(zone);
  co_return status;
}

Task<Status> ZoneStore::log(std::uint32_t zone, std::span<const std::byte> note) {
  auto turn = turns_.exclusive({});
  co_await turn;
  const ZoneState unchanged = map_.state(zone);
  co_return co_await map_.commit(zone, unchanged, note);
}

/// Rounds of the size of the merge buffer: what the zone keeps, padding behind it, and the victims over both. The image ends earlier
/// where its source gives up victims.
Task<Status> ZoneStore::write_image(Image& image, VictimSource& source) {
  for (std::uint32_t at = image.first; at < image.end;) {
    std::uint32_t count = std::min(round_.sectors(), image.end - at);
    const std::uint32_t kept = image.kept > at ? std::min(count, image.kept - at) : 0;
    const DataSpan old = round_.part(0, kept);
    LapTimer timer(ports_.cpu);
    Status status = co_await transfer(MediaOp::read, image.from, at, old, MediaClass::dependent);
    if (!ok(status)) co_return status;
    image.times.band_read += timer.lap();
    if (kept < count) ports_.memory.clear(round_.part(kept, count - kept));
    const DataSpan whole = round_.part(0, count);
    status = co_await source.fetch(at, whole);
    if (!ok(status)) co_return status;
    image.times.buffer_read += timer.lap();
    image.end = std::max(image.kept, source.offsets().back() + 1);
    if (image.end <= at) co_return Status::ok;
    count = std::min(count, image.end - at);
    const DataSpan merged = round_.part(0, count);
    status = co_await transfer(MediaOp::write, image.to, at, merged, MediaClass::dependent);
    if (!ok(status)) co_return status;
    image.times.band_write += timer.lap();
    at += count;
  }
  co_return Status::ok;
}

/// Brings the bitmap of the zone up to date; gives the padding that was written.
std::uint32_t ZoneStore::note_holes(std::uint32_t zone, std::span<const std::uint32_t> victims, const Image& image) {
  const std::uint32_t behind = std::max(image.first, image.kept);  // from here on there are but victims and padding
  const auto victims_behind = static_cast<std::uint32_t>(victims.end() - std::ranges::lower_bound(victims, behind));
  const std::uint32_t padding = image.end - behind - victims_behind;
  if (padding != 0) holes_.mark_holes(zone, behind, image.end);
  for (const std::uint32_t offset : victims) holes_.mark_valid(zone, offset);
  if (image.appends) return padding;
  const std::uint32_t holes = image.end - holes_.count_valid(zone, image.end);
  if (holes == 0) holes_.clear(zone);
  return std::max(holes, padding);
}

Task<void> ZoneStore::trim(ZoneRun run) {
  auto turn = turns_.exclusive({});
  co_await turn;
  const std::uint32_t written = write_pointer(run.zone);
  const std::uint32_t end = std::min(run.offset + run.count, written);
  if (run.offset >= end) co_return;
  const bool all = run.offset == 0 && end == written && !in_place_;
  if (!all) holes_.mark_holes(run.zone, run.offset, end);
  if (in_place_ || (!all && holes_.end_of_valid(run.zone, written) != 0) || !ok(map_.status())) co_return;
  static_cast<void>(co_await lower(run.zone, 0));  // where that cannot be written the zone keeps what it holds
}

Task<Status> ZoneStore::transfer(MediaOp op, std::uint32_t place, std::uint32_t offset, DataSpan data, MediaClass priority) {
  const LostSectors lost = priority == MediaClass::host ? LostSectors::fail : LostSectors::carry;
  return sweep_band(ports_.media, layout_, {op, place, offset, data, priority, nullptr, lost});
}

}  // namespace tessera
