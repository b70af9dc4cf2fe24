#include "firmware/flash/recent_tags.hpp"

#include <catch2/catch.hpp>

#include "fake_ports.hpp"

using namespace tessera;
using namespace tessera::test;

TEST_CASE("recent tags: what was added and not logged is there, oldest first, over the end of the ring too") {
  FakeMemory memory;
  RecentTags recent(memory, 3, Survival::dumped);
  CHECK_FALSE(recent.complete());
  recent.restart();
  for (std::uint64_t page = 0; page < 3; ++page) recent.add({page, 10 + page, 0});
  recent.added();
  CHECK(recent.complete());
  recent.logged(2);
  recent.add({3, 13, 0});
  recent.add({4, 14, 0});
  REQUIRE(recent.count() == 3);
  for (std::uint64_t number = recent.begin(); number < recent.end(); ++number)
    CHECK(recent.at(number) == RecentTags::Change{number, 10 + number, 0});
  CHECK(recent.complete());
}

TEST_CASE("recent tags: what there is no room for makes the rest incomplete until the log has them") {
  FakeMemory memory;
  RecentTags recent(memory, 2, Survival::dumped);
  recent.restart();
  for (std::uint64_t page = 0; page < 3; ++page) recent.add({page, 1, 0});
  recent.added();
  CHECK(recent.begin() == 1);
  CHECK_FALSE(recent.complete());
  recent.logged(0);  // not what was forgotten
  CHECK_FALSE(recent.complete());
  recent.logged(2);
  CHECK(recent.complete());
  CHECK(recent.count() == 1);
}

TEST_CASE("recent tags: what a boot adds makes a lost table complete at its end, and leaves a complete one so") {
  FakeMemory memory;
  RecentTags recent(memory, 8, Survival::dumped);
  for (const bool before : {false, true}) {
    recent.restart();
    CHECK(recent.complete() == before);
    recent.add({0, 1, 0});
    CHECK(recent.complete() == before);  // the power may fail here
    recent.added();
    CHECK(recent.complete());
  }
}
