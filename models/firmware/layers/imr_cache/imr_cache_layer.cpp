#include "firmware/layers/imr_cache/imr_cache_layer.hpp"

#include <algorithm>

#include "firmware/layout/plan_regions.hpp"

namespace tessera::cache {

ImrCache::Cache::Cache(const Ports& ports, const ImrCacheConfig& config, const DriveGeometry& geometry, const FormatPlan& plan)
    : area(ports.media, geometry, regions_named(plan, "cache"), longest_track(geometry), config.cache_tracks),
      map(ports.memory, area.slots()) {}

ImrCache::ImrCache(const Ports& ports, const ImrCacheConfig& config, const DriveGeometry& geometry, const FormatPlan& plan)
    : ImrCache(ports, config, geometry, plan, std::make_unique<Cache>(ports, config, geometry, plan)) {}

ImrCache::ImrCache(const Ports& ports, const ImrCacheConfig& config, const DriveGeometry& geometry, const FormatPlan& plan,
                   std::unique_ptr<Cache> cache)
    : TrackMovingLayer(ports, config.moving, geometry, plan, cache->map, 3 * longest_track(geometry)),
      config_(config),
      cache_(std::move(cache)) {}

PhysicalRun ImrCache::place_of(LogicalRun run) {
  ports_.cpu.array();
  const PhysicalRun home = home_.piece(run);
  if (!rmw_.tracks().is_bottom(home.track)) return home;
  ports_.cpu.hash();
  const Slot slot = cache_->map.slot_of(rmw_.tracks().number(home.track));
  return slot == CacheMap::none ? home : cache_->area.piece(slot, home.first, home.count);
}

/// Tops are never cached; the home of a bottom that is holds no newest copy.
std::optional<LogicalSector> ImrCache::resident(PhysicalSector sector) const {
  const bool cached = rmw_.tracks().is_bottom(sector.track) && cache_->map.slot_of(rmw_.tracks().number(sector.track)) != CacheMap::none;
  return cached ? std::nullopt : home_.logical(sector);
}

void ImrCache::will_write(LogicalRun run) {
  const PhysicalRun home = home_.piece(run);
  if (!rmw_.tracks().is_bottom(home.track)) return;
  const Slot slot = cache_->map.slot_of(rmw_.tracks().number(home.track));
  if (slot == CacheMap::none) return;
  cache_->map.set_clean(slot, false);
  ++hits_;
}

void ImrCache::plan_moves() {
  ports_.cpu.scan(heat_.hottest().size() + cache_->map.slots());
  swaps_ = plan_swaps(heat_, cache_->map, rmw_.tracks(), {config_.swap_hysteresis, config_.paper});
  next_ = 0;
}

Task<Status> ImrCache::carry_out_next() {
  const Swap swap = swaps_[next_++];
  if (swap.victim) {
    const std::uint64_t victim = *swap.victim;
    const Status status = co_await evict(victim);
    if (!ok(status)) co_return status;
  }
  co_return co_await promote(swap.hot);
}

/// Seeks to the track, reads it, seeks to the cache and writes it. Until the map says so, its home is where it lies.
Task<Status> ImrCache::promote(std::uint64_t track) {
  const PhysicalTrack home = rmw_.tracks().track(track);
  const Slot slot = nearest_free_slot(home);
  if (slot == CacheMap::none || cache_->map.slot_of(track) != CacheMap::none) co_return Status::ok;
  const PhysicalRun whole = rmw_.tracks().whole(home);
  auto locks = lock(rmw_.tracks().box(whole), cache_->area.box(slot));
  co_await locks.near;
  co_await locks.far;

  mover_.begin("promote", track, locks);
  const TrackImage image{whole, 0};
  Status status = co_await mover_.read(image, StepHint::whole_track);
  if (ok(status)) status = co_await write_slot(slot, whole.count);
  if (!ok(status)) {
    mover_.abandon();
    co_return Status::ok;
  }
  const MoveWords words = CacheMap::words(CacheMap::Change::promote, track, slot);
  const Status committed = co_await commit(words);
  if (!ok(committed)) co_return committed;
  cache_->map.set_clean(slot, true);
  ++promotions_;
  co_return Status::ok;
}

/// Section 2.3, "Timing", steps 1 to 9: a read-modify-write of the whole track.
Task<Status> ImrCache::evict(std::uint64_t track) {
  const Slot slot = cache_->map.slot_of(track);
  if (slot == CacheMap::none) co_return Status::ok;
  const PhysicalTrack home = rmw_.tracks().track(track);
  const PhysicalRun whole = rmw_.tracks().whole(home);
  auto locks = lock(rmw_.tracks().reach(whole), cache_->area.box(slot));
  co_await locks.near;
  co_await locks.far;

  mover_.begin("evict", track, locks);
  const bool as_home = config_.evict_clean_free && !config_.paper && cache_->map.clean(slot);
  const Tops tops = tops_of(home, as_home ? 0 : tops_with_data(home));
  const MoveWords words = CacheMap::words(CacheMap::Change::evict, track, slot, tops.which);
  if (!as_home) {
    Status status = co_await read_slot(slot, whole.count, tops.sectors);
    for (std::uint32_t i = 0; ok(status) && i < tops.count; ++i) status = co_await mover_.read(tops.images[i], StepHint::whole_track);
    if (ok(status)) status = co_await mover_.save(tops.sectors, words);
    if (!ok(status)) {  // nothing was overwritten yet
      mover_.abandon();
      co_return Status::ok;
    }
    const std::array to_home{TrackImage{whole, tops.sectors}};
    const Status written = co_await mover_.write(to_home, StepHint::whole_track, TrackMover::Mark::with);
    co_await restore(tops);
    if (!ok(written)) {  // the slot still holds it
      const MoveWords nothing{};
      co_return co_await commit(nothing);
    }
  }
  ++evictions_;
  co_return co_await commit(words);
}

std::vector<TrackImage> ImrCache::first_written(MoveWords words) { return {{rmw_.tracks().whole(rmw_.tracks().track(words[1])), 0}}; }

/// An eviction that a power cut ended is undone: the slot still holds the track.
Task<Status> ImrCache::resume(MoveWords words) {
  const PhysicalTrack home = rmw_.tracks().track(words[1]);
  const Tops tops = tops_of(home, CacheMap::saved_in(words));
  co_await restore(tops);
  const MoveWords nothing{};
  co_return co_await commit(nothing);
}

Task<Status> ImrCache::read_slot(Slot slot, std::uint32_t sectors, std::uint32_t at) {
  for (std::uint32_t done = 0; done < sectors;) {
    const TrackImage part{cache_->area.piece(slot, done, sectors - done), at + done};
    const Status status = co_await mover_.read(part, StepHint::whole_track);
    if (!ok(status)) co_return status;
    done += part.run.count;
  }
  co_return Status::ok;
}

Task<Status> ImrCache::write_slot(Slot slot, std::uint32_t sectors) {
  for (std::uint32_t done = 0; done < sectors;) {
    const std::array part{TrackImage{cache_->area.piece(slot, done, sectors - done), done}};
    const Status status = co_await mover_.write(part, StepHint::whole_track);
    if (!ok(status)) co_return status;
    done += part.front().run.count;
  }
  co_return Status::ok;
}

Slot ImrCache::nearest_free_slot(PhysicalTrack home) const {
  ports_.cpu.scan(cache_->map.slots());
  Slot nearest = CacheMap::none;
  std::uint32_t least = ~std::uint32_t{0};
  for (Slot slot = 0; slot < cache_->map.slots(); ++slot) {
    if (cache_->map.track_in(slot)) continue;
    const std::uint32_t radius = cache_->area.box(slot).radius_first;
    const std::uint32_t away = radius < home.radius ? home.radius - radius : radius - home.radius;
    if (away >= least) continue;
    least = away;
    nearest = slot;
  }
  return nearest;
}

std::uint32_t ImrCache::tops_with_data(PhysicalTrack home) const {
  const std::optional<PhysicalTrack> front = rmw_.tracks().in_front(home);
  const std::optional<PhysicalTrack> behind = rmw_.tracks().behind(home);
  return (front && rmw_.holds_data(*front) ? 1U : 0U) | (behind && rmw_.holds_data(*behind) ? 2U : 0U);
}

ImrCache::Tops ImrCache::tops_of(PhysicalTrack home, std::uint32_t which) const {
  Tops tops;
  tops.which = which;
  const auto add = [&](const std::optional<PhysicalTrack>& top) {
    tops.images[tops.count] = {rmw_.tracks().whole(*top), tops.sectors};
    tops.sectors += tops.images[tops.count++].run.count;
  };
  if ((which & 1U) != 0) add(rmw_.tracks().in_front(home));
  if ((which & 2U) != 0) add(rmw_.tracks().behind(home));
  return tops;
}

Task<void> ImrCache::restore(Tops tops) {
  for (std::uint32_t i = 0; i < tops.count; ++i) {
    const std::array top{tops.images[i]};
    co_await mover_.write(top, StepHint::whole_track);
  }
}

// --- Figures ---

void ImrCache::report_work(MetricSet& metrics) const {
  report_moving(metrics);
  metrics.count("cache.promote", static_cast<double>(promotions_), "1", "tracks brought into the track cache");
  metrics.count("cache.evict", static_cast<double>(evictions_), "1", "tracks brought back from the track cache");
  metrics.count("cache.hit", static_cast<double>(hits_), "1", "writes of tracks in the track cache");
}

}  // namespace tessera::cache
