// Bitmaps of zones with padding, against a plain vector.
#include <catch2/catch.hpp>

#include <vector>

#include "base/random.hpp"
#include "firmware/zones/hole_maps.hpp"
#include "unit/firmware/fake_ports.hpp"

using namespace tessera;
using namespace tessera::test;

TEST_CASE("a zone without a bitmap has no holes") {
  FakeMemory memory;
  HoleMaps holes(memory, 3, 100, 2);
  CHECK(holes.valid(1, 99));
  CHECK(holes.count_valid(1, 70) == 70);
  CHECK(holes.end_of_valid(1, 70) == 70);
}

TEST_CASE("marks, counts and ends agree with a plain vector") {
  RandomStream random(1, "hole maps");
  for (int run = 0; run < 200; ++run) {
    FakeMemory memory;
    const auto size = static_cast<std::uint32_t>(1 + random.below(200));
    HoleMaps holes(memory, 2, size, 2);
    std::vector<bool> valid(size, true);
    for (int step = 0; step < 30; ++step) {
      const auto first = static_cast<std::uint32_t>(random.below(size));
      const auto end = first + static_cast<std::uint32_t>(random.below(size - first + 1));
      if (random.below(3) != 0) {
        holes.mark_holes(1, first, end);
        for (std::uint32_t i = first; i < end; ++i) valid[i] = false;
      } else {
        holes.mark_valid(1, first);
        valid[first] = true;
      }
      std::uint32_t count = 0;
      std::uint32_t end_of_valid = 0;
      for (std::uint32_t i = 0; i < end; ++i) {
        CHECK(holes.valid(1, i) == valid[i]);
        count += valid[i] ? 1 : 0;
        if (valid[i]) end_of_valid = i + 1;
      }
      REQUIRE(holes.count_valid(1, end) == count);
      REQUIRE(holes.end_of_valid(1, end) == end_of_valid);
      REQUIRE(holes.count_valid(0, size) == size);
    }
  }
}

TEST_CASE("without a bitmap to be had padding counts as data, and a bitmap that is given back starts without holes") {
  FakeMemory memory;
  HoleMaps holes(memory, 3, 64, 1);
  holes.mark_holes(0, 0, 10);
  holes.mark_holes(1, 0, 10);
  CHECK_FALSE(holes.valid(0, 9));
  CHECK(holes.valid(1, 9));
  holes.clear(0);
  CHECK(holes.valid(0, 9));
  holes.mark_holes(1, 20, 21);
  CHECK(holes.valid(1, 9));
  CHECK_FALSE(holes.valid(1, 20));
}

TEST_CASE("a bitmap of a 256 MiB zone takes 8 KiB and its number in the pool") {
  FakeMemory memory;
  const HoleMaps one(memory, 1000, 65536, 1);
  const HoleMaps two(memory, 1000, 65536, 2);
  CHECK(two.bytes() - one.bytes() == Bytes(8192 + 4));
}
