#include "firmware/layers/tessera_imr/interlaced_tiers_config.hpp"

#include "firmware/layers/imr_cache/cache_plan.hpp"
#include "firmware/layers/imr_dtm/imr_dtm_layer.hpp"
#include "firmware/layers/imr_flip/imr_flip_layer.hpp"
#include "firmware/layers/imr_rmw/imr_rmw_layer.hpp"

namespace tessera::tiers {

namespace {

flip::ImrFlipConfig flips(const InterlacedTiersConfig& config) {
  flip::ImrFlipConfig made;
  made.moving = config.moving;
  made.limits = {config.move_threshold, config.most_moves};
  return made;
}

cache::ImrCacheConfig track_cache(const InterlacedTiersConfig& config) {
  cache::ImrCacheConfig made;
  made.moving = config.moving;
  made.cache_tracks = config.cache_tracks;
  made.swap_hysteresis = config.move_threshold;
  return made;
}

dtm::ImrDtmConfig swaps(const InterlacedTiersConfig& config) {
  dtm::ImrDtmConfig made;
  made.moving = config.moving;
  made.limits = {config.move_threshold, config.most_moves};
  return made;
}

FormatPlan plan_home(const InterlacedTiersConfig& config, const DriveGeometry& geometry, std::string& problem) {
  switch (config.moves) {
    case Moves::off: break;
    case Moves::flip: return flips(config).plan(geometry, problem);
    case Moves::cache: return cache::plan_with_cache(track_cache(config), geometry, problem);
    case Moves::dtm: return swaps(config).plan(geometry, problem);
  }
  return config.moving.interlaced.plan(geometry, false, problem);
}

}  // namespace

void InterlacedTiersConfig::describe(ParameterVisitor& v) {
  describe_front(v);
  v.unused_where(!buffered() && !uses_flash(), "buffer is 0 B and flash is off", [&] {
    v.field("spare_tops", spare_tops,
            "tops whose newest copy is in buffer or flash are neither saved nor restored when a bottom is written");
  });
  v.unused_where(!buffered(), "buffer is 0 B", [&] {
    v.field("bottoms_first", bottoms_first, "of a bottom and a top at the same angle, both in the buffer, the bottom is destaged first");
  });
  v.enumeration("moves", moves, {"off", "flip", "cache", "dtm"},
                "what brings hot tracks where their writes are direct: as imr-flip, imr-cache or imr-dtm do, or nothing");
  moving.interlaced.describe(v);
  v.unused_where(moves == Moves::off, "moves is off", [&] {
    moving.describe_moves(v);
    v.field("move_threshold", move_threshold, {0, 1e8}, "a move needs more than this many writes between the two tracks");
    v.unused_where(moves == Moves::cache, "moves is cache", [&] {
      v.field("most_moves", most_moves, {1, 1e6}, "flips or swaps planned at the end of an interval");
    });
    v.unused_where(moves != Moves::cache, "moves is not cache", [&] {
      v.field("cache_tracks", cache_tracks, {1, 1e6}, "tracks that the cache of `moves = cache` holds");
    });
  });
}

FormatPlan InterlacedTiersConfig::plan(const DriveGeometry& geometry, std::string& problem) const {
  FormatPlan plan = plan_home(*this, geometry, problem);
  if (problem.empty()) problem = problem_before(plan, geometry);
  return problem.empty() ? plan : FormatPlan{};
}

std::unique_ptr<InterlacedLayer> InterlacedTiersConfig::make_home(const Ports& ports, const DriveGeometry& geometry,
                                                                  const FormatPlan& plan) const {
  switch (moves) {
    case Moves::off: break;
    case Moves::flip: return std::make_unique<flip::ImrFlip>(ports, flips(*this), geometry, plan);
    case Moves::cache: return std::make_unique<cache::ImrCache>(ports, track_cache(*this), geometry, plan);
    case Moves::dtm: return std::make_unique<dtm::ImrDtm>(ports, swaps(*this), geometry, plan);
  }
  return std::make_unique<ImrReadModifyWrite>(ports, moving.interlaced, geometry, plan);
}

}  // namespace tessera::tiers
