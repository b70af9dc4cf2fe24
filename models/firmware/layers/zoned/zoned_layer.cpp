#include "firmware/layers/zoned/zoned_layer.hpp"

#include <algorithm>

#include "firmware/flash/band_sweep.hpp"
#include "firmware/layers/layer_statistics.hpp"
#include "firmware/layers/zoned/zoned_plan.hpp"
#include "firmware/layout/plan_regions.hpp"

namespace tessera::zoned {

Zoned::Zoned(const Ports& ports, const ZonedConfig& config, const DriveGeometry& geometry, const FormatPlan& plan)
    : ports_(ports),
      config_(config),
      zone_sectors_(config.zone_sectors(geometry.sector_bytes)),
      per_sector_(ports.memory.shape().blocks()),
      conventional_layout_(geometry, regions_named(plan, "conventional"), ports.media, ConventionalLayout::Reserve::none),
      conventional_(
          std::min(conventional_zones(config, geometry, plan), static_cast<std::uint32_t>(conventional_layout_.sectors() / zone_sectors_))),
      layout_(geometry, regions_named(plan, "bands"), zone_sectors_, ports.media),
      states_(ports.memory, ports.cpu, sequential_zones(config, conventional_, layout_.bands()), zone_sectors_,
              {config.max_open, config.max_active}),
      ledger_(ports, geometry, regions_named(plan, "log"), states_.zones()),
      search_(ports.media, ports.cpu, zone_sectors_,
              [this](std::uint32_t zone, std::uint32_t first, std::uint32_t count) { return layout_.locate(zone, first, count); }),
      writer_(ports, layout_, states_, ledger_),
      cache_(config.write_cache.value() == 0 ? nullptr : std::make_unique<ZoneCache>(ports, config, layout_, states_, ledger_, writer_)) {
  const std::uint32_t end = states_.zones();
  for (std::uint32_t i = 0; i < std::min(config.read_only_zones + config.offline_zones, end); ++i) {
    const KeptAs as = i < config.offline_zones ? KeptAs::offline : KeptAs::read_only;
    ledger_.set(end - 1 - i, {.as = static_cast<std::uint32_t>(as)});
  }
}

/// The zone that a run begins in, and how far it stays there. The conventional zones are one to whoever writes.
Zoned::Place Zoned::place_of(LogicalRun run) const {
  const std::uint64_t sequential = std::uint64_t{conventional_} * zone_sectors_;
  if (run.first.value() < sequential)
    return {0, 0, static_cast<std::uint32_t>(std::min<std::uint64_t>(run.count, sequential - run.first.value())), true};
  const std::uint64_t at = run.first.value() - sequential;
  const auto first = static_cast<std::uint32_t>(at % zone_sectors_);
  return {static_cast<std::uint32_t>(at / zone_sectors_), first, std::min(run.count, zone_sectors_ - first), false};
}

void Zoned::prefill(std::uint64_t sectors) {
  const std::uint64_t conventional = std::uint64_t{conventional_} * zone_sectors_;
  std::uint64_t left = sectors - std::min(sectors, conventional);
  for (std::uint32_t zone = 0; zone < states_.zones() && left != 0; ++zone) {
    const auto written = static_cast<std::uint32_t>(std::min<std::uint64_t>(left, zone_sectors_));
    left -= written;
    if (ledger_.peek(zone).as != static_cast<std::uint32_t>(KeptAs::empty)) {
      KeptZone kept = ledger_.peek(zone);
      kept.written = written;
      ledger_.set(zone, kept);
      continue;
    }
    const KeptAs as = written == zone_sectors_ ? KeptAs::full : KeptAs::active;
    ledger_.set(zone, {.as = static_cast<std::uint32_t>(as), .written = written});
  }
}

Task<Status> Zoned::format() {
  for (std::uint32_t zone = 0; zone < states_.zones(); ++zone) states_.restore(zone, state_of(ledger_.peek(zone), zone_sectors_));
  co_return co_await ledger_.format();
}

/// Zones that were open are closed; their write pointers, and those of closed ones, are found by reading.
Task<Status> Zoned::recover() {
  Status status = co_await ledger_.recover();
  if (!ok(status)) co_return status;
  for (std::uint32_t zone = 0; zone < states_.zones(); ++zone) {
    if (ledger_.peek(zone).as == static_cast<std::uint32_t>(KeptAs::active)) {
      status = co_await find_pointer(zone);
      if (!ok(status)) co_return status;
    }
    states_.restore(zone, state_of(ledger_.peek(zone), zone_sectors_));
  }
  co_await ledger_.repair();
  co_return Status::ok;
}

/// What cannot be known is known from here on as in doubt: the next boot must not find it otherwise.
Task<Status> Zoned::find_pointer(std::uint32_t zone) {
  KeptZone kept = ledger_.peek(zone);
  const ZoneSearch::Found found = co_await search_.find({zone, kept.resets, kept.written});
  ++searched_;
  in_doubt_ += found.doubt_count;
  kept.written = found.written;
  if (found.written == zone_sectors_) kept.as = static_cast<std::uint32_t>(KeptAs::full);
  if (found.doubt_count == 0) {
    ledger_.set(zone, kept);
    co_return Status::ok;
  }
  const std::uint32_t first = kept.doubt_count == 0 ? found.doubt_first : kept.doubt_first;
  kept.doubt_first = first;
  kept.doubt_count = found.written - first;
  co_return co_await ledger_.append(zone, kept);
}

Task<Status> Zoned::read(LogicalRun run, DataSpan data) {
  for (std::uint32_t done = 0; done < run.count;) {
    const LogicalRun rest{run.first + done, run.count - done};
    const Place place = place_of(rest);
    const DataSpan part = data.part(done, place.count);
    Status status;
    if (place.conventional)
      status = co_await transfer(MediaOp::read, {rest.first, place.count}, part, MediaClass::host);
    else
      status = co_await read_zone(place, part);
    if (!ok(status)) co_return status;
    done += place.count;
  }
  co_return Status::ok;
}

/// Beyond what is written there are zeros, whatever lies there; the heads need not go there. What the cache has is copied before the rest
/// is read: it may leave the cache meanwhile.
Task<Status> Zoned::read_zone(Place place, DataSpan data) {
  const ZoneState& state = states_.state(place.zone);
  if (static_cast<Condition>(state.condition) == Condition::offline) co_return Status::zone_offline;
  const auto below = [&place](std::uint32_t pointer) { return pointer > place.first ? std::min(place.count, pointer - place.first) : 0; };
  const std::uint32_t written = below(state.written);
  const bool doubt =
      state.doubt_count != 0 && place.first < state.doubt_first + state.doubt_count && place.first + place.count > state.doubt_first;
  if (doubt) co_return Status::media_error;
  const std::uint32_t here = cache_ == nullptr ? written : below(cache_->entered(place.zone));
  if (written < here) cache_->read(place.zone, place.first + written, data.part(written, here - written));
  if (here < place.count) {
    zeros_read_ += place.count - here;
    ports_.memory.clear(data.part(here, place.count - here));
  }
  if (written == 0) co_return Status::ok;
  const DataSpan stored = data.part(0, written);
  co_return co_await sweep_band(ports_.media, layout_, {MediaOp::read, place.zone, place.first, stored, MediaClass::host});
}

Task<Status> Zoned::write(LogicalRun run, DataSpan data, WriteOptions options) {
  const Place place = place_of(run);
  TESSERA_CHECK(place.count == run.count, "a write across the end of a zone was admitted");
  if (place.conventional) return transfer(MediaOp::write, run, data, options.background ? MediaClass::background : MediaClass::host);
  return cache_ == nullptr ? writer_.write(place.zone, place.first, data) : cache_->write(place.zone, place.first, data, options.durable);
}

bool Zoned::holds(LogicalRun run) {
  const Place place = place_of(run);
  return cache_ != nullptr && !place.conventional && place.count == run.count && place.first >= states_.state(place.zone).written &&
         place.first + place.count <= cache_->entered(place.zone);
}

bool Zoned::absorbs(LogicalRun run) { return cache_ != nullptr && !place_of(run).conventional && cache_->has_room(run.count); }

Task<Status> Zoned::flush() {
  if (cache_ == nullptr) co_return Status::ok;
  co_return co_await cache_->flush();
}

void Zoned::start_background() {
  if (cache_ != nullptr) cache_->start_background();
}

/// Of conventional zones.
Task<Status> Zoned::transfer(MediaOp op, LogicalRun run, DataSpan data, MediaClass priority) {
  MediaChain chain(priority);
  for (std::uint32_t done = 0; done < run.count;) {
    chain.clear();
    while (done < run.count && chain.steps().size() < MediaChain::max_steps) {
      ports_.cpu.array();
      const PhysicalRun piece = conventional_layout_.piece({run.first + done, run.count - done});
      chain.add({op, StepHint::position, piece, data.part(done, piece.count), {}, nullptr});
      done += piece.count;
    }
    const Status status = co_await ports_.media.run(chain);
    if (!ok(status)) co_return status;
  }
  co_return Status::ok;
}

// --- Zones: what the host asks of them ---

namespace {

ZoneCondition shown(Condition condition) {
  switch (condition) {
    case Condition::empty: return ZoneCondition::empty;
    case Condition::implicitly_open: return ZoneCondition::implicitly_open;
    case Condition::explicitly_open: return ZoneCondition::explicitly_open;
    case Condition::closed: return ZoneCondition::closed;
    case Condition::full: return ZoneCondition::full;
    case Condition::read_only: return ZoneCondition::read_only;
    case Condition::offline: break;
  }
  return ZoneCondition::offline;
}

}  // namespace

ZoneDescriptor Zoned::describe(std::uint32_t zone) const {
  ZoneDescriptor descriptor;
  descriptor.start = HostBlock(zone * zone_blocks());
  descriptor.blocks = zone_blocks();
  if (zone < conventional_) return descriptor;
  const ZoneState& state = states_.state(zone - conventional_);
  descriptor.type = ZoneType::sequential_write_required;
  descriptor.condition = shown(static_cast<Condition>(state.condition));
  descriptor.pointer = descriptor.start + std::uint64_t{state.accepted} * per_sector_;
  return descriptor;
}

std::vector<ReadDoubt> Zoned::in_doubt() const {
  std::vector<ReadDoubt> doubts;
  for (std::uint32_t zone = 0; zone < states_.zones(); ++zone) {
    const KeptZone& kept = ledger_.peek(zone);
    if (kept.doubt_count == 0) continue;
    const HostBlock first((conventional_ + zone) * zone_blocks() + std::uint64_t{kept.doubt_first} * per_sector_);
    ReadDoubt& doubt = doubts.emplace_back(ReadDoubt{{first, kept.doubt_count * per_sector_}, {}});
    for (std::uint32_t done = 0; done < kept.doubt_count; done += doubt.places.back().count)
      doubt.places.push_back(layout_.locate(zone, kept.doubt_first + done, kept.doubt_count - done));
  }
  return doubts;
}

/// Below the pointer, and inside one zone, where reads are restricted. A full zone has no pointer: what finishing it left out is zeros.
Status Zoned::admit_read(HostRun blocks) {
  const std::uint64_t sequential = conventional_ * zone_blocks();
  if (config_.unrestricted_reads || blocks.end().value() <= sequential) return Status::ok;
  Status status = Status::ok;
  if (blocks.first.value() < sequential || blocks.first.value() / zone_blocks() != (blocks.end().value() - 1) / zone_blocks()) {
    status = Status::read_boundary;
  } else {
    const auto zone = static_cast<std::uint32_t>(blocks.first.value() / zone_blocks());
    const ZoneDescriptor descriptor = describe(zone);
    if (descriptor.condition == ZoneCondition::offline)
      status = Status::zone_offline;
    else if (descriptor.condition != ZoneCondition::full && blocks.end() > descriptor.pointer)
      status = Status::invalid_read;
  }
  count(status);
  return status;
}

Status Zoned::admit_write(HostRun blocks) {
  const std::uint64_t sequential = conventional_ * zone_blocks();
  Status status = Status::ok;
  if (blocks.first.value() < sequential) {
    if (blocks.end().value() > sequential) status = Status::write_boundary;
  } else {
    const std::uint64_t at = blocks.first.value() - sequential;
    const std::uint64_t first = at % zone_blocks();
    const bool whole = first % per_sector_ == 0 && blocks.count % per_sector_ == 0;
    const std::uint64_t sectors = (first % per_sector_ + blocks.count + per_sector_ - 1) / per_sector_;
    status = states_.admit_write(static_cast<std::uint32_t>(at / zone_blocks()), static_cast<std::uint32_t>(first / per_sector_),
                                 static_cast<std::uint32_t>(sectors), whole);
  }
  count(status);
  return status;
}

void Zoned::withdraw(HostRun blocks) {
  const std::uint64_t sequential = conventional_ * zone_blocks();
  if (blocks.first.value() < sequential) return;
  const std::uint64_t at = blocks.first.value() - sequential;
  const auto zone = static_cast<std::uint32_t>(at / zone_blocks());
  const auto first = static_cast<std::uint32_t>(at % zone_blocks() / per_sector_);
  states_.withdraw(zone, cache_ == nullptr ? first : std::max(first, cache_->entered(zone)));
  if (cache_ == nullptr)
    writer_.drop(zone, states_.state(zone).accepted);
  else
    cache_->drop(zone, states_.state(zone).accepted);
}

bool Zoned::concerns(HostOp op, std::uint32_t zone) const { return zone >= conventional_ && states_.concerns(op, zone - conventional_); }

/// What the cache has of a zone is written before the zone is full, and dropped once it is reset for good.
Task<Status> Zoned::manage(HostOp op, std::uint32_t number) {
  if (cache_ == nullptr || number < conventional_) co_return co_await change(op, number);
  const std::uint32_t zone = number - conventional_;
  if (op == HostOp::zone_close) cache_->urge(zone);
  if (op == HostOp::zone_finish) co_await cache_->settle(zone);
  if (op == HostOp::zone_reset) co_await cache_->hold(zone);
  const Status status = co_await change(op, number);
  if (op == HostOp::zone_reset) cache_->release(zone);
  co_return status;
}

/// What must outlive a power cut is in the log before it is so: a reset, and a zone that is full although it is not all written.
Task<Status> Zoned::change(HostOp op, std::uint32_t number) {
  Status status = Status::invalid_field;
  if (number >= conventional_) status = states_.admit(op, number - conventional_);
  count(status);
  if (!ok(status)) co_return status;
  const std::uint32_t zone = number - conventional_;
  const ZoneState state = states_.state(zone);
  const auto condition = static_cast<Condition>(state.condition);
  const bool resets = op == HostOp::zone_reset && condition != Condition::empty;
  const bool fills = op == HostOp::zone_finish && condition != Condition::full;
  if (resets || fills) {
    KeptZone kept{.as = static_cast<std::uint32_t>(KeptAs::empty), .resets = state.resets + 1};
    if (fills) kept = {static_cast<std::uint32_t>(KeptAs::full), state.resets, state.written, state.doubt_first, state.doubt_count};
    ports_.cpu.event({resets ? "reset" : "finish", FirmwareEvent::Edge::begin, number, state.written});
    status = co_await ledger_.append(zone, kept);
    ports_.cpu.event({resets ? "reset" : "finish", FirmwareEvent::Edge::end, number, state.written});
    if (!ok(status)) co_return status;
    ++(resets ? resets_ : finishes_);
  }
  if (resets && cache_ != nullptr) cache_->forget(zone);
  if (op != HostOp::zone_reset || resets) states_.apply(op, zone);
  co_return Status::ok;
}

// --- Figures ---

void Zoned::report(MetricSet& metrics) const {
  const auto add = [&metrics](const char* name, std::uint64_t value, const char* unit, const char* description) {
    metrics.add(name, static_cast<double>(value), unit, description);
  };
  const auto count = [&metrics](const char* name, std::uint64_t value, const char* unit, const char* description) {
    metrics.count(name, static_cast<double>(value), unit, description);
  };
  add("zones.conventional", conventional_, "1", "conventional zones");
  add("zones.sequential", states_.zones(), "1", "sequential zones");
  count("zones.resets", resets_, "1", "zones that were reset");
  count("zones.finishes", finishes_, "1", "zones that were finished before they were all written");
  count("zones.closed_for_others", states_.closed_for_others(), "1", "implicitly open zones that the drive closed to open another one");
  count("zones.refused", refused_, "1", "commands and parts of them that a rule of the zones stood against");
  count("zones.chains", writer_.chains(), "1", "media commands that wrote sequential zones: several writes of the host go with one");
  count("zones.sectors", writer_.sectors(), "sectors", "sectors written to sequential zones");
  count("zones.zeros_read", zeros_read_, "sectors", "sectors read that lie beyond what is written");
  count("zones.searched", searched_, "1", "write pointers that a boot found by reading");
  count("zones.search_reads", search_.reads(), "1", "reads of tracks that took");
  count("zones.in_doubt", in_doubt_, "sectors",
        "sectors below write pointers that a boot could not tell written from unwritten: reads of them fail");
  count("log.sectors", ledger_.sectors_written(), "sectors", "sectors written to the log of the zones");
  if (cache_ != nullptr) cache_->report(metrics);
  const Bytes tables = states_.bytes() + ledger_.bytes();
  report_mapping_memory(metrics, tables, tables);
}

}  // namespace tessera::zoned
