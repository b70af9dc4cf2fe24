#include "firmware/layers/host_aware/host_aware_layer.hpp"

#include <algorithm>

#include "firmware/layers/host_aware/kept_zone.hpp"
#include "firmware/layout/plan_regions.hpp"
#include "firmware/layout/track_transfer.hpp"

namespace tessera::host_aware {

namespace {

/// After the conventional ones: as many as asked for, fit, and may be exported.
std::uint32_t preferred_zones(const HostAwareConfig& config, const DriveGeometry& geometry, std::uint32_t conventional,
                              std::uint64_t cached_sectors) {
  const std::uint64_t zone = config.zone_sectors(geometry.sector_bytes);
  std::uint64_t zones = cached_sectors / zone;
  if (geometry.exported_sectors != 0)
    zones = std::min(zones, std::max<std::uint64_t>(geometry.exported_sectors / zone, conventional) - conventional);
  if (config.zones != 0) zones = std::min<std::uint64_t>(zones, config.zones - conventional);
  return static_cast<std::uint32_t>(zones);
}

}  // namespace

HostAware::HostAware(const Ports& ports, const HostAwareConfig& config, const DriveGeometry& geometry, const FormatPlan& plan)
    : ports_(ports),
      zone_sectors_(config.zone_sectors(geometry.sector_bytes)),
      per_sector_(ports.memory.shape().blocks()),
      optimal_open_(config.optimal_open),
      conventional_layout_(geometry, regions_named(plan, "conventional"), ports.media, ConventionalLayout::Reserve::none),
      conventional_(std::min(config.conventional_zones, static_cast<std::uint32_t>(conventional_layout_.sectors() / zone_sectors_))),
      cache_(ports, config.cache, geometry, plan, this),
      zones_(ports.memory, ports.cpu, preferred_zones(config, geometry, conventional_, cache_.user_sectors()), zone_sectors_,
             config.optimal_open),
      ledger_(ports, geometry, regions_named(plan, "pointers"), zones_.zones()),
      search_(ports.media, ports.cpu, zone_sectors_,
              [this](std::uint32_t zone, std::uint32_t first, std::uint32_t count) {
                return cache_.bands().place({run_of(zone).first + first, count});
              }),
      records_(ports.cpu) {}

// --- Reads and writes ---

HostAware::Side HostAware::side_of(LogicalRun run) const {
  const std::uint64_t conventional = conventional_sectors();
  if (run.first.value() >= conventional) return {{LogicalSector(run.first.value() - conventional), run.count}, false};
  return {{run.first, static_cast<std::uint32_t>(std::min<std::uint64_t>(run.count, conventional - run.first.value()))}, true};
}

HostAware::Piece HostAware::piece_of(LogicalRun run) const {
  const auto first = static_cast<std::uint32_t>(run.first.value() % zone_sectors_);
  return {static_cast<std::uint32_t>(run.first.value() / zone_sectors_), first, std::min(run.count, zone_sectors_ - first)};
}

void HostAware::received(LogicalRun run) {
  for (std::uint32_t done = 0; done < run.count;) {
    const Side side = side_of({run.first + done, run.count - done});
    const Piece piece = piece_of(side.run);
    if (!side.conventional) zones_.written(piece.zone, piece.first, piece.end());
    done += piece.count;
  }
}

void HostAware::restored(LogicalRun run) {
  const Side side = side_of(run);
  if (side.conventional) return;
  const Piece piece = piece_of(side.run);
  PreferredZone& zone = zones_.peek(piece.zone);
  zone.pointer = std::max(zone.pointer, piece.end());
}

Task<Status> HostAware::read_as(MediaClass priority, LogicalRun run, DataSpan data) {
  for (std::uint32_t done = 0; done < run.count;) {
    const Side side = side_of({run.first + done, run.count - done});
    const DataSpan part = data.part(done, side.run.count);
    Status status;
    if (side.conventional)
      status = co_await transfer(MediaOp::read, side.run, part, priority);
    else if (priority == MediaClass::host)
      status = co_await cache_.read(side.run, part);
    else
      status = co_await cache_.read_behind(side.run, part);
    if (!ok(status)) co_return status;
    done += side.run.count;
  }
  co_return Status::ok;
}

Task<Status> HostAware::write(LogicalRun run, DataSpan data, WriteOptions options) {
  for (std::uint32_t done = 0; done < run.count;) {
    const Side side = side_of({run.first + done, run.count - done});
    const DataSpan part = data.part(done, side.run.count);
    Status status;
    if (side.conventional)
      status = co_await transfer(MediaOp::write, side.run, part, options.background ? MediaClass::background : MediaClass::host);
    else
      status = co_await cache_.write(side.run, part, options);
    if (!ok(status)) co_return status;
    done += side.run.count;
  }
  co_return Status::ok;
}

Task<Status> HostAware::transfer(MediaOp op, LogicalRun run, DataSpan data, MediaClass priority) {
  return transfer_tracks(ports_.media, op, data, priority, LostSectors::fail, [this, run](std::uint32_t done, std::uint32_t count) {
    return conventional_layout_.piece({run.first + done, count});
  });
}

// --- Boot ---

void HostAware::prefill(std::uint64_t sectors) {
  const std::uint64_t cached = sectors - std::min(sectors, conventional_sectors());
  cache_.prefill(cached);
  std::uint64_t left = cached;
  for (std::uint32_t zone = 0; zone < zones_.zones() && left != 0; ++zone) {
    const auto written = static_cast<std::uint32_t>(std::min<std::uint64_t>(left, zone_sectors_));
    left -= written;
    ledger_.set(zone, {.as = static_cast<std::uint32_t>(KeptAs::full), .written = written});
    zones_.peek(zone).pointer = zones_.peek(zone).begun = written;
  }
}

Task<Status> HostAware::format() {
  const Status status = co_await ledger_.format();
  if (!ok(status)) co_return status;
  co_return co_await cache_.format();
}

Task<Status> HostAware::recover() {
  Status status = co_await ledger_.recover();
  if (!ok(status)) co_return status;
  status = co_await cache_.recover();
  if (!ok(status)) co_return status;
  status = co_await find_pointers();
  if (!ok(status)) co_return status;
  cache_.restore_used();
  if (ports_.media.forgot_rewrite()) {
    status = co_await note_forgotten();
    if (!ok(status)) co_return status;
  }
  status = co_await cache_.lose_unproven();
  if (!ok(status)) co_return status;
  status = co_await lose_doubtful();
  if (!ok(status)) co_return status;
  co_await ledger_.repair();
  co_return Status::ok;
}

/// Of what the log of the pointers says, marks in the bands, and what the media cache holds, whatever is furthest.
Task<Status> HostAware::find_pointers() {
  for (std::uint32_t number = 0; number < zones_.zones(); ++number) zones_.peek(number) = {.begun = ledger_.peek(number).written};
  cache_.map().each([this](const media_cache::Extent& extent) {
    const Piece piece = piece_of({extent.first, extent.count});
    PreferredZone& zone = zones_.peek(piece.zone);
    zone.begun = std::max(zone.begun, piece.end());
    zone.non_sequential = 1;
  });
  for (std::uint32_t number = 0; number < zones_.zones(); ++number) {
    const KeptZone kept = ledger_.peek(number);
    PreferredZone& zone = zones_.peek(number);
    if (kept_as(kept) == KeptAs::active) {
      const zoned::ZoneSearch::Found found = co_await search_.find({number, kept.resets, kept.written});
      ++searched_;
      zone.begun = std::max(zone.begun, found.written);
      note_doubt(number, found);
      // So that the next boot looks for no more zones than this one, and finds no other pointer where it can read what this one could not.
      const Status status = found.doubt_count == 0 ? co_await record(number, zone.begun, false) : Status::ok;
      if (!ok(status)) co_return status;
    }
    zone.pointer = zone.begun;
  }
  co_return Status::ok;
}

/// What the media cache holds of it is not in doubt: it came after what went to the band.
void HostAware::note_doubt(std::uint32_t zone, const zoned::ZoneSearch::Found& found) {
  const LogicalRun doubt{run_of(zone).first + found.doubt_first, found.doubt_count};
  for (LogicalSector at = doubt.first; at < doubt.end();) {
    const LogicalRun part = cache_.first_uncached({at, static_cast<std::uint32_t>(doubt.end() - at)});
    if (part.count != 0) doubts_.push_back({part, doubt.first + (doubt.count - 1)});
    at = part.end();
  }
}

/// Before the pointers' records: once these are there no boot looks again.
Task<Status> HostAware::lose_doubtful() {
  for (const Doubt& doubt : doubts_) {
    const Status status = co_await cache_.lose(doubt.run);
    if (!ok(status)) co_return status;
  }
  for (std::size_t i = 0; i < doubts_.size(); ++i) {
    const std::uint32_t zone = piece_of(doubts_[i].run).zone;
    zones_.peek(zone).non_sequential = 1;
    if (i + 1 < doubts_.size() && piece_of(doubts_[i + 1].run).zone == zone) continue;
    const Status status = co_await record(zone, zones_.peek(zone).begun, false);
    if (!ok(status)) co_return status;
  }
  co_return Status::ok;
}

/// A refresh rewrites a track, and with it those that this destroys. Once nobody knows where it stopped, what is destroyed in front of a
/// pointer is no longer sure to be what was never written: until the zone's next reset it is an error.
Task<Status> HostAware::note_forgotten() {
  for (std::uint32_t number = 0; number < zones_.zones(); ++number) {
    KeptZone kept = ledger_.peek(number);
    set_kept_as(kept, kept_as(kept), zones_.peek(number).begun);
    ledger_.set(number, kept);
  }
  ports_.cpu.scan(zones_.zones());
  co_return co_await ledger_.checkpoint();
}

LogicalSector HostAware::held_end(LogicalRun band) const {
  LogicalSector end = band.first;
  for (std::uint32_t done = 0; done < band.count;) {
    const Piece piece = piece_of({band.first + done, band.count - done});
    done += piece.count;
    if (piece.zone >= zones_.zones()) break;
    const std::uint32_t begun = zones_.read(piece.zone).begun;
    if (begun > piece.first) end = run_of(piece.zone).first + std::min(begun, piece.end());
  }
  return end;
}

}  // namespace tessera::host_aware
