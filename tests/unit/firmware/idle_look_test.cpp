// When a task that waits for an idle host looks again.
#include <catch2/catch.hpp>

#include "firmware/locks/idle_look.hpp"

using namespace tessera;
using namespace tessera::literals;

TEST_CASE("an idle detector looks again when the host will have been idle for long enough, however late the last look was") {
  const Picoseconds tick{1};
  CHECK(next_idle_look(10_s, 10_s, 5_s) == 15_s + tick);
  CHECK(next_idle_look(10_s, 14_s, 5_s) == 15_s + tick);
  // Something else was in the way, or the host is idle already.
  CHECK(next_idle_look(10_s, 15_s, 5_s) == 20_s + tick);
  CHECK(next_idle_look(10_s, 90_s, 5_s) == 95_s + tick);
  // Not more often than ten times in a millisecond.
  CHECK(next_idle_look(10_s, 10_s, 0_s) == 10_s + shortest_idle_look + tick);
}
