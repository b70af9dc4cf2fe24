#include "firmware/layers/zoned/zoned_layer.hpp"

#include <algorithm>

#include "firmware/flash/band_sweep.hpp"
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

}  // namespace tessera::zoned
