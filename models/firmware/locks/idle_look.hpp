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

}  // namespace tessera
