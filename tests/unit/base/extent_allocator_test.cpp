// Extents of a space: next fit around the end, both sides of each gap, and against a plain map of the units that are held.
#include "base/extent_allocator.hpp"

#include <catch2/catch.hpp>

#include <map>
#include <vector>

#include "base/error.hpp"
#include "base/random.hpp"

using namespace tessera;

TEST_CASE("extents: each lies behind the one before, around the end, and never on one that is held") {
  ExtentAllocator space(100);
  CHECK(space.take(40) == 0);
  CHECK(space.take(40) == 40);
  space.give_back(40, 40);
  CHECK(space.take(20) == 80);
  CHECK(space.take(41) == std::nullopt);  // 40 to 80 is free
  CHECK(space.take(40) == 40);            // the one at 0 is held
  CHECK(space.held() == 100);
  CHECK(space.take(1) == std::nullopt);
  space.give_back(0, 40);
  CHECK(space.take(30) == 0);
  CHECK(space.take(11) == std::nullopt);
  CHECK(space.take(10) == 30);
}

TEST_CASE("extents: all of the space is to be had once nothing is held") {
  ExtentAllocator space(100);
  CHECK(space.take(60) == 0);
  space.give_back(0, 60);
  CHECK(space.take(100) == 0);
  space.give_back(0, 100);
  CHECK(space.take(101) == std::nullopt);
  CHECK_THROWS_AS(space.give_back(0, 1), ModelBug);
  CHECK(space.take(50) == 0);
  space.clear();
  CHECK(space.held() == 0);
  CHECK(space.take(100) == 0);
}

TEST_CASE("extents: no two share a unit, and none is refused for which there is a gap") {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    CAPTURE(seed);
    RandomStream random(seed, "test.extents");
    const std::uint64_t size = 1 + random.below(200);
    ExtentAllocator space(size);
    std::vector<bool> held(size);
    std::map<std::uint64_t, std::uint64_t> extents;
    for (int i = 0; i < 300; ++i) {
      if (!extents.empty() && random.below(2) == 0) {
        auto gone = extents.begin();
        std::advance(gone, static_cast<std::ptrdiff_t>(random.below(extents.size())));
        space.give_back(gone->first, gone->second);
        std::fill_n(held.begin() + static_cast<std::ptrdiff_t>(gone->first), gone->second, false);
        extents.erase(gone);
        continue;
      }
      const std::uint64_t length = 1 + random.below(1 + size / 3);
      std::uint64_t gap = 0, largest = 0;
      for (const bool taken : held) largest = std::max(largest, gap = taken ? 0 : gap + 1);
      const auto place = space.take(length);
      REQUIRE(place.has_value() == (length <= largest));
      if (!place) continue;
      REQUIRE(*place + length <= size);
      for (std::uint64_t unit = *place; unit < *place + length; ++unit) {
        REQUIRE_FALSE(held[unit]);
        held[unit] = true;
      }
      extents[*place] = length;
    }
  }
}
