// Counts of writes by track, an interval at a time.
#include "firmware/logs/heat_log.hpp"

#include <catch2/catch.hpp>

#include "unit/firmware/fake_ports.hpp"

using namespace tessera;
using namespace tessera::test;

TEST_CASE("an interval's writes are counted by track, the hottest first and of equal ones the lower number") {
  FakeCpu cpu;
  FakeMemory memory;
  HeatLog heat(cpu, memory, 6);
  for (const std::uint64_t track : {7U, 2U, 7U, 9U, 2U, 4U}) heat.note(track);
  CHECK(heat.interval_over());
  heat.count();
  REQUIRE(heat.hottest().size() == 4);
  CHECK(heat.hottest()[0].track == 2);
  CHECK(heat.hottest()[1].track == 7);
  CHECK(heat.hottest()[2].track == 4);
  CHECK(heat.hottest()[3].track == 9);
  CHECK(heat.writes_of(7) == 2);
  CHECK(heat.writes_of(4) == 1);
  CHECK(heat.writes_of(5) == 0);
  CHECK(heat.writes_of(100) == 0);
}

TEST_CASE("counts start anew with each interval, and what comes between its end and the count is not noted") {
  FakeCpu cpu;
  FakeMemory memory;
  HeatLog heat(cpu, memory, 2);
  for (int i = 0; i < 3; ++i) heat.note(1);
  heat.count();
  CHECK(heat.writes_of(1) == 2);
  CHECK_FALSE(heat.interval_over());
  heat.note(3);
  heat.note(3);
  heat.count();
  CHECK(heat.writes_of(1) == 0);
  CHECK(heat.writes_of(3) == 2);
  CHECK(heat.intervals() == 2);
}

TEST_CASE("marks of a track's ends are counted apart, also on the highest track number") {
  FakeCpu cpu;
  FakeMemory memory;
  HeatLog heat(cpu, memory, 4);
  const std::uint64_t last = (std::uint64_t{1} << 30) - 1;
  heat.note(last, true, false);
  heat.note(last, true, true);
  heat.note(last);
  heat.note(last, false, true);
  heat.count();
  REQUIRE(heat.hottest().size() == 1);
  CHECK(heat.hottest()[0].track == last);
  CHECK(heat.hottest()[0].low == 2);
  CHECK(heat.hottest()[0].high == 2);
  CHECK(heat.paper_bytes() == Bytes(12));
}
