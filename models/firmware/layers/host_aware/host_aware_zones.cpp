// host-aware: what the host asks of its zones, and what makes their pointers durable.
#include <algorithm>

#include "firmware/layers/host_aware/host_aware_layer.hpp"
#include "firmware/layers/host_aware/kept_zone.hpp"
#include "firmware/layers/zoned/zone_marks.hpp"

namespace tessera::host_aware {

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

/// The caller has the turn, but for boot and resets. What lies in front of `written` is there; `marked`: after it marks tell.
Task<Status> HostAware::record(std::uint32_t zone, std::uint32_t written, bool marked) {
  KeptZone kept = ledger_.peek(zone);
  set_kept_as(kept, marked ? KeptAs::active : KeptAs::full, forgotten_end(kept));
  kept.written = written;
  const Status status = co_await ledger_.append(zone, kept);
  if (ok(status) && !marked) unmark(zone);
  co_return status;
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

}  // namespace tessera::host_aware
