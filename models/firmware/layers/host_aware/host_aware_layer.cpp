#include "firmware/layers/host_aware/host_aware_layer.hpp"

#include <algorithm>

#include "firmware/layers/layer_statistics.hpp"
#include "firmware/layers/zoned/zone_marks.hpp"
#include "firmware/layout/plan_regions.hpp"
#include "firmware/layout/track_transfer.hpp"

namespace tessera::host_aware {

namespace {

using zoned::KeptAs;
using zoned::KeptZone;

// What this layer keeps of a zone, in the fields that the ledger has. In the word that says as what the zone is kept there is also up to
// where a destroyed sector may have held data; and where a zone that must be written in order keeps what is in doubt of it, this one keeps
// the head of the media cache's log at its last reset.
constexpr std::uint32_t kept_as_bits = 3;
KeptAs kept_as(const KeptZone& kept) { return static_cast<KeptAs>(kept.as & ((1U << kept_as_bits) - 1)); }
std::uint32_t forgotten_end(const KeptZone& kept) { return kept.as >> kept_as_bits; }
void set_kept_as(KeptZone& kept, KeptAs as, std::uint32_t forgotten_end) {
  kept.as = static_cast<std::uint32_t>(as) | forgotten_end << kept_as_bits;
}
std::uint64_t reset_at(const KeptZone& kept) { return kept.doubt_first | std::uint64_t{kept.doubt_count} << 32; }
void set_reset_at(KeptZone& kept, std::uint64_t head) {
  kept.doubt_first = static_cast<std::uint32_t>(head);
  kept.doubt_count = static_cast<std::uint32_t>(head >> 32);
}

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

/// Of conventional zones nothing is gained; pointers stay.
Task<Status> HostAware::trim(LogicalRun run) {
  for (std::uint32_t done = 0; done < run.count;) {
    const Side side = side_of({run.first + done, run.count - done});
    done += side.run.count;
    if (side.conventional) continue;
    const Status status = co_await cache_.trim(side.run);
    if (!ok(status)) co_return status;
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
    if (!extent.hole) zone.non_sequential = 1;
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

// --- Zones: what the host asks of them, and what makes their pointers durable ---

// --- Commands ---

ZoneDescriptor HostAware::describe(std::uint32_t number) const {
  ZoneDescriptor descriptor;
  descriptor.start = HostBlock(number * zone_blocks());
  descriptor.blocks = zone_blocks();
  if (number < conventional_) return descriptor;
  const PreferredZone& zone = zones_.read(number - conventional_);
  descriptor.type = ZoneType::sequential_write_preferred;
  descriptor.condition = zones_.condition(number - conventional_);
  descriptor.pointer = descriptor.start + std::uint64_t{zone.pointer} * per_sector_;
  descriptor.non_sequential = zone.non_sequential != 0;
  return descriptor;
}

std::vector<ReadDoubt> HostAware::in_doubt() const {
  std::vector<ReadDoubt> doubts = cache_.in_doubt();
  for (ReadDoubt& doubt : doubts) doubt.blocks.first = HostBlock(doubt.blocks.first.value() + conventional_sectors() * per_sector_);
  for (const auto& [run, unread] : doubts_) {
    const HostBlock first((conventional_sectors() + run.first.value()) * per_sector_);
    ReadDoubt& doubt = doubts.emplace_back(ReadDoubt{{first, run.count * per_sector_}, {}});
    for (std::uint32_t done = 0; done < run.count; done += doubt.places.back().count)
      doubt.places.push_back(cache_.bands().place({run.first + done, run.count - done}));
    if (run.end() <= unread) doubt.places.push_back(cache_.bands().place({unread, 1}));
  }
  return doubts;
}

bool HostAware::concerns(HostOp op, std::uint32_t zone) const { return zone >= conventional_ && zones_.concerns(op, zone - conventional_); }

Task<Status> HostAware::manage(HostOp op, std::uint32_t number) {
  if (number < conventional_) co_return Status::invalid_field;
  const std::uint32_t zone = number - conventional_;
  const ZoneCondition condition = zones_.condition(zone);
  const bool resets = op == HostOp::zone_reset && condition != ZoneCondition::empty;
  const bool fills = op == HostOp::zone_finish && condition != ZoneCondition::full;
  Status status = Status::ok;
  const auto tell = [&](FirmwareEvent::Edge edge) {
    if (resets || fills) ports_.cpu.event({resets ? "reset" : "finish", edge, number, 0});
  };
  tell(FirmwareEvent::Edge::begin);
  if (resets) status = co_await cache_.reset(run_of(zone));
  if (fills) {
    auto turn = records_.exclusive({});
    co_await turn;
    status = co_await record(zone, zone_sectors_, false);
    if (ok(status)) zones_.write(zone).begun = zone_sectors_;
  }
  tell(FirmwareEvent::Edge::end);
  if (!ok(status)) co_return status;
  resets_ += resets ? 1 : 0;
  finishes_ += fills ? 1 : 0;
  if (op != HostOp::zone_reset || resets) zones_.apply(op, zone);
  co_return Status::ok;
}

// --- Records ---

/// The caller has the turn, but for boot and resets. What lies in front of `written` is there; `marked`: after it marks tell. Where they do
/// not, a write that comes while the record is on its way is to wait for one of its own.
Task<Status> HostAware::record(std::uint32_t zone, std::uint32_t written, bool marked) {
  KeptZone kept = ledger_.peek(zone);
  set_kept_as(kept, marked ? KeptAs::active : KeptAs::full, forgotten_end(kept));
  kept.written = written;
  if (!marked) unmark(zone);
  co_return co_await ledger_.append(zone, kept);
}

void HostAware::unmark(std::uint32_t zone) {
  std::erase(marked_, zone);
  PreferredZone& state = zones_.write(zone);
  state.marked = 0;
  state.marked_end = 0;
}

/// So that a boot has no more zones to look for than are optimally open.
Task<Status> HostAware::record_oldest_marked() {
  const std::uint32_t oldest = marked_.front();
  co_return co_await record(oldest, zones_.read(oldest).begun, false);
}

// --- What the media cache asks ---

LogicalSector HostAware::zone_end(LogicalSector sector) const {
  return LogicalSector((sector.value() / zone_sectors_ + 1) * zone_sectors_);
}

bool HostAware::may_have_held(LogicalSector sector) const {
  const Piece piece = piece_of({sector, 1});
  return piece.zone < zones_.zones() && piece.first < forgotten_end(ledger_.peek(piece.zone));
}

bool HostAware::at_pointer(LogicalSector first) const {
  const Piece piece = piece_of({first, 1});
  return zones_.read(piece.zone).begun == piece.first;
}

void HostAware::begun(LogicalRun run, media_cache::WriteWay way) {
  for (std::uint32_t done = 0; done < run.count;) {
    const Piece piece = piece_of({run.first + done, run.count - done});
    PreferredZone& zone = zones_.write(piece.zone);
    zone.begun = std::max(zone.begun, piece.end());
    if (way == media_cache::WriteWay::log) zone.non_sequential = 1;
    done += piece.count;
  }
}

/// Marks stand for themselves as long as each begins where the last one ends.
Task<Status> HostAware::before_band_write(LogicalRun run) {
  const Piece piece = piece_of(run);
  if (zones_.read(piece.zone).marked_end == piece.first && piece.first != 0) co_return Status::ok;
  auto turn = records_.exclusive({});
  co_await turn;
  const Status status = co_await record(piece.zone, piece.first, true);
  if (!ok(status)) co_return status;
  zones_.write(piece.zone).marked = 1;
  std::erase(marked_, piece.zone);
  marked_.push_back(piece.zone);
  if (marked_.size() > optimal_open_) co_return co_await record_oldest_marked();
  co_return Status::ok;
}

SectorHeader HostAware::mark(LogicalSector end) const {
  const Piece last = piece_of({LogicalSector(end.value() - 1), 1});
  ports_.cpu.charge(CpuOperation::record_word, record_words(header_bytes));
  return encode(zoned::ZoneMark{last.zone, ledger_.peek(last.zone).resets, last.end()});
}

/// After one that failed, or was recorded meanwhile, the next one needs a record. A zone that is written to its end has one, too: so boots
/// do not look for it.
void HostAware::band_written(LogicalRun run, Status status) {
  const Piece piece = piece_of(run);
  PreferredZone& zone = zones_.write(piece.zone);
  zone.marked_end = ok(status) && zone.marked != 0 ? piece.end() : 0;
}

Task<Status> HostAware::before_merge(LogicalRun band) {
  auto turn = records_.exclusive({});
  co_await turn;
  for (std::uint32_t done = 0; done < band.count;) {
    const Piece piece = piece_of({band.first + done, band.count - done});
    done += piece.count;
    if (piece.zone >= zones_.zones()) break;
    const PreferredZone& zone = zones_.read(piece.zone);
    if (zone.marked == 0 && zone.begun <= ledger_.peek(piece.zone).written) continue;
    const Status status = co_await record(piece.zone, zone.begun, false);
    if (!ok(status)) co_return status;
  }
  co_return Status::ok;
}

/// A zone is non-sequential as long as the media cache holds some of it.
void HostAware::settle_non_sequential(LogicalRun run) {
  for (std::uint32_t done = 0; done < run.count;) {
    const Piece piece = piece_of({run.first + done, run.count - done});
    done += piece.count;
    if (piece.zone >= zones_.zones() || zones_.read(piece.zone).non_sequential == 0) continue;
    if (!cache_.caches(run_of(piece.zone))) zones_.write(piece.zone).non_sequential = 0;
  }
}

Task<Status> HostAware::record_reset(LogicalSector first, std::uint64_t head) {
  const std::uint32_t zone = piece_of({first, 1}).zone;
  auto turn = records_.exclusive({});
  co_await turn;
  KeptZone kept{.as = static_cast<std::uint32_t>(KeptAs::empty), .resets = ledger_.peek(zone).resets + 1};
  set_reset_at(kept, head);
  const Status status = co_await ledger_.append(zone, kept);
  if (!ok(status)) co_return status;
  unmark(zone);
  zones_.write(zone).begun = 0;
  co_return Status::ok;
}

bool HostAware::is_void(const media_cache::Extent& extent) const {
  const Piece piece = piece_of({extent.first, extent.count});
  return extent.position < reset_at(ledger_.peek(piece.zone));
}

std::uint64_t HostAware::newest_reset() const {
  std::uint64_t newest = 0;
  for (std::uint32_t zone = 0; zone < zones_.zones(); ++zone) newest = std::max(newest, reset_at(ledger_.peek(zone)));
  return newest;
}

// --- Figures ---

void HostAware::report(MetricSet& metrics) const {
  const auto add = [&metrics](const char* name, std::uint64_t value, const char* description) {
    metrics.add(name, static_cast<double>(value), "1", description);
  };
  const auto count = [&metrics](const char* name, std::uint64_t value, const char* unit, const char* description) {
    metrics.count(name, static_cast<double>(value), unit, description);
  };
  cache_.report_work(metrics);
  add("zones.conventional", conventional_, "conventional zones");
  add("zones.preferred", zones_.zones(), "zones to write in order, which may be written anywhere");
  count("zones.resets", resets_, "1", "zones that were reset");
  count("zones.finishes", finishes_, "1", "zones that were finished before they were all written");
  count("zones.closed_for_others", zones_.closed_for_others(), "1", "implicitly open zones that the drive closed to open another one");
  count("zones.non_sequential_writes", zones_.non_sequential_writes(), "1", "writes of the host away from the write pointer of their zone");
  count("zones.searched", searched_, "1", "write pointers that a boot found by reading");
  count("zones.search_reads", search_.reads(), "1", "reads of tracks that took");
  count("log.sectors", ledger_.sectors_written(), "sectors", "sectors written to the log of the zones");
  report_mapping_memory(metrics, cache_.paper_map_bytes() + zones_.bytes(), cache_.map_bytes() + zones_.bytes() + ledger_.bytes());
}

}  // namespace tessera::host_aware
