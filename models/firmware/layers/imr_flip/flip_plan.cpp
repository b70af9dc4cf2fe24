#include "firmware/layers/imr_flip/flip_plan.hpp"

#include <algorithm>

namespace tessera::flip {

namespace {

/// The home of what lies on `track`, the bulk of it.
PhysicalTrack resident(const FlipMap& map, PhysicalTrack track) {
  const std::optional<FlippedPair> pair = map.flip_of(track);
  if (!pair) return track;
  return track == pair->bottom ? pair->top : pair->bottom;
}

/// Whether a waiting move has one of the tracks.
bool taken(const std::vector<FlipMove>& moves, PhysicalTrack bottom, PhysicalTrack top) {
  return std::ranges::any_of(moves, [&](const FlipMove& move) { return move.bottom == bottom || move.top == top; });
}

/// The state that leaves the colder end of the bottom behind.
Flip new_flip(const TrackHeat& heat, bool front) {
  const bool low = heat.low >= heat.high;
  if (front) return low ? Flip::low_front : Flip::high_front;
  return low ? Flip::low_behind : Flip::high_behind;
}

/// The moves that would bring the sectors of a hot track, which lie on `bottom`, to a top.
std::vector<FlipMove> candidates(const TrackHeat& hot, PhysicalTrack bottom, const FlipMap& map, const InterlacedTracks& tracks) {
  if (const std::optional<FlippedPair> pair = map.flip_of(bottom)) return {{bottom, pair->top, Flip::home}};
  std::vector<FlipMove> moves;
  const std::optional<PhysicalTrack> front = tracks.in_front(bottom);
  const std::optional<PhysicalTrack> behind = tracks.behind(bottom);
  if (front && !map.flip_of(*front)) moves.push_back({bottom, *front, new_flip(hot, true)});
  if (behind && !map.flip_of(*behind)) moves.push_back({bottom, *behind, new_flip(hot, false)});
  return moves;
}

}  // namespace

std::vector<FlipMove> plan_flips(const HeatLog& heat, const FlipMap& map, const InterlacedTracks& tracks, const FlipLimits& limits) {
  std::vector<FlipMove> moves;
  for (const TrackHeat& hot : heat.hottest()) {
    if (moves.size() == limits.most || hot.writes <= limits.threshold) break;
    const PhysicalTrack home = tracks.track(hot.track);
    const std::optional<FlippedPair> pair = map.flip_of(home);
    const PhysicalTrack bulk = !pair ? home : home == pair->bottom ? pair->top : pair->bottom;
    if (!tracks.is_bottom(bulk)) continue;

    std::vector<FlipMove> possible = candidates(hot, bulk, map, tracks);
    std::erase_if(possible, [&](const FlipMove& move) { return taken(moves, move.bottom, move.top); });
    const auto writes = [&](const FlipMove& move) { return heat.writes_of(tracks.number(resident(map, move.top))); };
    const auto coldest = std::ranges::min_element(possible, {}, writes);
    if (coldest == possible.end()) continue;
    const std::uint32_t there = writes(*coldest);
    if (hot.writes > there && hot.writes - there > limits.threshold) moves.push_back(*coldest);
  }
  return moves;
}

}  // namespace tessera::flip
