// A merge in steps: between them the host's commands get in, and room is given to the host for what the merge wins.
#include "firmware/layers/media_cache/media_cache_layer.hpp"

#include <algorithm>

namespace tessera::media_cache {

namespace {
constexpr std::uint64_t turns_a_step = 10;  // ours: of the first merge alone, before its time is known
constexpr std::uint64_t passes = 4;         // over the tracks of a band: read, copied, read again, written
}  // namespace

/// Until a step of a merge has ended.
Task<Status> MediaCache::await_step() {
  if (!stepping_) {
    stepping_ = true;
    step_status_ = Status::ok;
    ports_.cpu.spawn(clean_stepwise(), "clean");
  }
  if (cleaning_now_) cleaning_class_ = MediaClass::dependent;
  progress_.wake_all();  // a merge may let in what there is no room for any more
  co_await room_.change(LifePhase::cleaning);
  co_return step_status_;
}

/// While somebody waits for room.
Task<void> MediaCache::clean_stepwise() {
  while (ok(step_status_) && cleanable() && (map_full() || log_full())) step_status_ = co_await clean(MediaClass::dependent);
  stepping_ = false;
  room_.wake_all();
}

/// No merge is left that could give any.
void MediaCache::forgive_room() {
  entries_.forgive();
  log_room_.forgive();
}

/// What waits now goes before the next step, as far as there is room; a stream waits for the end of the merge.
Task<void> MediaCache::let_in() {
  ++steps_;
  const Picoseconds worked = ports_.cpu.now() - step_begun_;
  entries_.earn(worked);
  log_room_.earn(worked);
  room_.wake_all();
  // Who found nothing left to merge, as all of it was trimmed, or its zone was reset: there may be room now.
  if (!trimmed_bands_.empty() || finding_nothing_ != 0) progress_.wake_all();
  const std::uint64_t until = writes_ + queue_.size();
  while (!on_their_way_.empty() || (has_room() && !queue_.empty() && writes_ < until && streams_now_ == 0)) {
    co_await progress_.change(LifePhase::cpu_wait);
    if (has_room()) room_.wake_all();  // an overwrite gave an entry back
  }
  step_begun_ = ports_.cpu.now();
}

/// By a turn for a track and an extent.
void MediaCache::expect_merge(const Merge& merge) {
  std::uint64_t sectors = 0;
  for (const Extent& extent : extents_) sectors += extent.hole ? 0 : extent.count;
  const std::uint64_t turns = passes * (merge.run.count / merge.band.track_sectors + 1) + extents_.size();
  const Picoseconds time = config_.merge_step / turns_a_step * turns;
  entries_.expect(static_cast<double>(extents_.size()), time);
  log_room_.expect(static_cast<double>(sectors), time);
}

/// The band holds what the log did when the merge began, as extents_ says. What was entered since stays, wherever in the log it lies: a
/// packet has its place there before it may have waited for the band. The number of entries that the merge gives back.
std::uint32_t MediaCache::forget_merged(const Merge& merge) {
  const Band& band = merge.band;
  const std::uint32_t before = map_.size();
  const auto found = found_.take();
  found->clear();
  const LogicalRun whole{band.first, band.sectors};
  map_.find(band.number, whole, *found);
  auto merged = extents_.begin();
  for (const Extent& extent : *found) {
    while (merged != extents_.end() && merged->end() <= extent.first) ++merged;
    if (merged == extents_.end()) break;
    const bool inside = merged->first <= extent.first && extent.end() <= merged->end();
    if (extent.hole || merged->hole) {
      // A hole that the merge wrote nothing over stays one.
      const LogicalSector first = std::max(extent.first, merge.run.first);
      const LogicalSector end = std::min(extent.end(), merge.run.end());
      if (inside && extent.hole && merged->hole && extent.position == merged->position && first < end)
        map_.erase(band.number, {first, static_cast<std::uint32_t>(end - first)});
    } else if (inside && extent.position - merged->position == extent.first - merged->first)
      map_.erase(band.number, {extent.first, extent.count});
  }
  return before - map_.size();
}

}  // namespace tessera::media_cache
