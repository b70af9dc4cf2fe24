#include "controller/media_queue.hpp"

#include <algorithm>
#include <array>

namespace tessera {

namespace {

const MediaStep& next_step(const MediaChain& chain) { return chain.steps()[chain.steps_done]; }

const PhysicalRun& target(const MediaChain& chain) { return next_step(chain).run; }

std::uint32_t distance(std::uint32_t a, std::uint32_t b) { return a < b ? b - a : a - b; }

bool old(const MediaChain& chain, Picoseconds limit, Picoseconds now) { return now > chain.submitted && now - chain.submitted >= limit; }

}  // namespace

MediaQueue::MediaQueue(const Order& order) : order_(order) {}

void MediaQueue::push(MediaChain& chain, bool yields) {
  TESSERA_CHECK(!chain.empty(), "an empty media chain was submitted");
  (chain.priority == MediaClass::background ? background_ : yields ? yielding_ : foreground_).push_back(&chain);
}

void MediaQueue::clear() {
  foreground_.clear();
  yielding_.clear();
  background_.clear();
  picks_until_age_counts_ = others_in_a_row_ = 0;
  age_counts_from_ = {};
}

MediaChain& MediaQueue::remove(Entries& entries, std::size_t index) {
  MediaChain& chain = *entries[index];
  entries.erase(entries.begin() + static_cast<std::ptrdiff_t>(index));
  return chain;
}

MediaChain& MediaQueue::pop(const Positioning& positioning, Picoseconds now, const PhysicalTrack* left) {
  TESSERA_CHECK(!empty(), "an empty media queue was popped");
  if (!background_.empty() && old(*background_.front(), order_.background_age_limit, now)) return remove(background_, 0);
  if (foreground_.empty() && yielding_.empty()) return remove(background_, by_policy(background_, positioning, now, left));
  return pick(positioning, now, left);
}

/// Of the foreground.
MediaChain& MediaQueue::pick(const Positioning& positioning, Picoseconds now, const PhysicalTrack* left) {
  const bool ordered = order_.policy != SchedulingPolicy::first_come || (!foreground_.empty() && !yielding_.empty());
  if (ordered && foreground_.size() + yielding_.size() > 1) {
    Entries* const aged = picks_until_age_counts_ == 0 && now >= age_counts_from_ ? aged_one(now) : nullptr;
    if (aged != nullptr) {
      picks_until_age_counts_ = order_.age_interval - 1;
      age_counts_from_ = now + order_.age_pause;
      ++aged_;
      return remove(*aged, 0);
    }
    if (picks_until_age_counts_ != 0) --picks_until_age_counts_;
  }
  Entries& entries = yielding_has_turn() ? yielding_ : foreground_;
  return remove(entries, by_policy(entries, positioning, now, left));
}

bool MediaQueue::yielding_has_turn() {
  if (!foreground_.empty() && !yielding_.empty() && others_in_a_row_ < order_.yields_to) {
    ++others_in_a_row_;
    return false;
  }
  others_in_a_row_ = 0;
  return !yielding_.empty();
}

/// Where the oldest chain of the foreground stands first, if it has reached the age limit.
MediaQueue::Entries* MediaQueue::aged_one(Picoseconds now) {
  const bool yields = !yielding_.empty() && (foreground_.empty() || yielding_.front()->submitted < foreground_.front()->submitted);
  Entries& entries = yields ? yielding_ : foreground_;
  return old(*entries.front(), order_.age_limit, now) ? &entries : nullptr;
}

std::size_t MediaQueue::by_policy(const Entries& entries, const Positioning& positioning, Picoseconds now,
                                  const PhysicalTrack* left) const {
  if (entries.size() == 1) return 0;
  switch (order_.policy) {
    case SchedulingPolicy::first_come: return 0;
    case SchedulingPolicy::c_look: return next_in_sweep(entries, positioning.head());
    case SchedulingPolicy::shortest_seek: return nearest_radius(entries, positioning.head());
    case SchedulingPolicy::shortest_positioning: return shortest_positioning(entries, positioning, now, left);
  }
  return 0;
}

std::size_t MediaQueue::next_in_sweep(const Entries& entries, PhysicalTrack head) const {
  // The sweep runs inwards; what lies behind the head belongs to the next one.
  const auto key = [head](const MediaChain& chain) {
    const PhysicalRun& run = target(chain);
    return std::array<std::uint64_t, 4>{run.track.radius < head.radius, run.track.radius, run.track.surface, run.first};
  };
  std::size_t best = 0;
  for (std::size_t i = 1; i < entries.size(); ++i)
    if (key(*entries[i]) < key(*entries[best])) best = i;
  return best;
}

std::size_t MediaQueue::nearest_radius(const Entries& entries, PhysicalTrack head) const {
  std::size_t best = 0;
  std::uint32_t least = ~std::uint32_t{0};
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const std::uint32_t away = distance(target(*entries[i]).track.radius, head.radius);
    if (away < least) {
      least = away;
      best = i;
    }
  }
  return best;
}

std::size_t MediaQueue::shortest_positioning(const Entries& entries, const Positioning& positioning, Picoseconds now,
                                             const PhysicalTrack* left) const {
  // Nearest radius first gives a good bound at once; whoever cannot beat it by seek alone is not priced.
  const std::uint32_t head = positioning.head().radius;
  std::size_t best = nearest_radius(entries, positioning.head());
  const auto price = [&](const MediaChain& chain) {
    return positioning.positioning_time(target(chain), next_step(chain).op == MediaOp::write, now);
  };
  Picoseconds least = price(*entries[best]);
  const std::size_t nearest = best;
  std::uint32_t too_far = ~std::uint32_t{0};  // from this distance on nobody can beat it
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const std::uint32_t away = distance(target(*entries[i]).track.radius, head);
    if (away >= too_far || i == nearest) continue;
    if (positioning.least_positioning(away) >= least) {
      too_far = away;
      continue;
    }
    const Picoseconds time = price(*entries[i]);
    if (time < least) {
      least = time;
      best = i;
    }
  }
  const bool moves_on = left != nullptr && target(*entries[best]).track != *left;
  return moves_on ? next_track(entries, positioning, now, *left, best, least) : best;
}

/// At the end of a track a chain further on may come under the head during the skew. What goes on at the beginning of a track next to it is
/// served all the same: left behind, it would cost a turn later, and no skew is longer than half a turn.
std::size_t MediaQueue::next_track(const Entries& entries, const Positioning& positioning, Picoseconds now, PhysicalTrack left,
                                   std::size_t best, Picoseconds least) const {
  Picoseconds before = least + positioning.revolution() / std::uint64_t{2};
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const PhysicalRun& run = target(*entries[i]);
    if (run.first != 0 || run.track == left || distance(run.track.radius, left.radius) > 1) continue;
    const Picoseconds time = positioning.positioning_time(run, next_step(*entries[i]).op == MediaOp::write, now);
    if (time >= before) continue;
    before = time;
    best = i;
  }
  return best;
}

}  // namespace tessera
