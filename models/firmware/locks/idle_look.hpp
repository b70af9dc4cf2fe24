#pragma once
#include <algorithm>

#include "base/units.hpp"

namespace tessera {

/// Every look of an idle detector costs the CPU a wake-up, so that it looks no more often than this.
inline constexpr Picoseconds shortest_idle_look{100'000'000};  // 100 us: a tenth of the shortest disk access

/// When a background task that waits for `idle_after` without host commands looks again, having looked at `now`: once that time will have
/// passed, or where it has and something else is in the way, as much later.
[[nodiscard]] inline Picoseconds next_idle_look(Picoseconds last_activity, Picoseconds now, Picoseconds idle_after) {
  const Picoseconds pause = std::max(idle_after, shortest_idle_look);
  return (last_activity + pause > now ? last_activity : now) + pause + Picoseconds(1);
}

/// The same for a cache that is written once the host is idle: each look at a command that takes its time comes later than the last, so
/// that a slow command is not looked at all the time.
class IdleLooks {
 public:
  explicit IdleLooks(Picoseconds idle_after)
      : shortest_(std::max(idle_after, shortest_idle_look)), longest_(std::max(idle_after, longest_idle_look)), pause_(shortest_) {}
  [[nodiscard]] Picoseconds next(Picoseconds last_activity, Picoseconds now) {
    pause_ = last_activity == seen_ ? std::min(pause_ * 2, longest_) : shortest_;
    seen_ = last_activity;
    return next_idle_look(last_activity, now, pause_);
  }

 private:
  static constexpr Picoseconds longest_idle_look{1'600'000'000};  // ours: 1.6 ms, a quarter of a revolution

  Picoseconds shortest_;
  Picoseconds longest_;
  Picoseconds pause_;
  Picoseconds seen_;
};

}  // namespace tessera
