// The bounded map of the log: what is written again gives its entry back, what is cut in two takes another.
#include <catch2/catch.hpp>

#include <map>
#include <vector>

#include "base/random.hpp"
#include "firmware/layers/media_cache/extent_map.hpp"
#include "unit/firmware/fake_ports.hpp"

using namespace tessera;
using namespace tessera::media_cache;
using tessera::test::FakeCpu;
using tessera::test::FakeMemory;

namespace {

Extent extent(std::uint64_t first, std::uint32_t count, std::uint64_t position) { return {LogicalSector(first), position, count}; }

struct MapBench {
  FakeMemory memory;
  FakeCpu cpu;
  ExtentMap map;

  explicit MapBench(std::uint32_t capacity = 32) : map(memory, cpu, 4, capacity) {}
  [[nodiscard]] std::vector<Extent> find(std::uint64_t band, std::uint64_t first, std::uint32_t count) const {
    std::vector<Extent> found;
    map.find(band, {LogicalSector(first), count}, found);
    return found;
  }
};

}  // namespace

TEST_CASE("an extent that is written again as a whole gives its entry back") {
  MapBench bench(4);
  bench.map.assign(1, extent(10, 5, 100));
  bench.map.assign(1, extent(10, 5, 200));
  CHECK(bench.map.size() == 1);
  CHECK(bench.find(1, 0, 100) == std::vector{extent(10, 5, 200)});
  CHECK(bench.find(0, 0, 100).empty());
  CHECK(bench.map.oldest() == extent(10, 5, 200));
}

TEST_CASE("an extent of which the middle is written again becomes two, and the log keeps both") {
  MapBench bench;
  bench.map.assign(0, extent(10, 9, 100));  // 10 .. 18
  bench.map.assign(0, extent(13, 2, 300));
  // 10 .. 12 at 100, 13 and 14 at 300, 15 .. 18 five sectors behind 100
  CHECK(bench.find(0, 0, 100) == std::vector{extent(10, 3, 100), extent(13, 2, 300), extent(15, 4, 105)});
  CHECK(bench.map.size() == 3);
  CHECK(bench.map.oldest() == extent(10, 3, 100));
  bench.map.erase(0, {LogicalSector(10), 3});
  CHECK(bench.map.oldest() == extent(15, 4, 105));  // older than what was written between
}

TEST_CASE("a write over the end of one extent and the beginning of another leaves the rest of both") {
  MapBench bench;
  bench.map.assign(0, extent(10, 4, 100));  // 10 .. 13
  bench.map.assign(0, extent(14, 4, 200));  // 14 .. 17
  bench.map.assign(0, extent(12, 4, 300));  // 12 .. 15
  CHECK(bench.find(0, 0, 100) == std::vector{extent(10, 2, 100), extent(12, 4, 300), extent(16, 2, 202)});
  CHECK(bench.find(0, 11, 2) == std::vector{extent(11, 1, 101), extent(12, 1, 300)});  // cut to what was asked for
  CHECK(bench.find(0, 17, 1) == std::vector{extent(17, 1, 203)});
  CHECK(bench.find(0, 18, 1).empty());
  CHECK(bench.find(0, 9, 1).empty());
}

TEST_CASE("clearing a band gives back its entries and no other's") {
  MapBench bench(4);
  for (std::uint32_t i = 0; i < 3; ++i) bench.map.assign(0, extent(10 * i, 2, 100 + i));
  bench.map.assign(1, extent(500, 2, 200));
  bench.map.clear(0);
  CHECK(bench.map.size() == 1);
  CHECK(bench.map.oldest() == extent(500, 2, 200));
  for (std::uint32_t i = 0; i < 3; ++i) bench.map.assign(2, extent(900 + 10 * i, 2, 300 + i));  // there is room for three
  CHECK(bench.map.size() == 4);
}

TEST_CASE("the extents of the map behave as a plain array of sectors, whatever is written and trimmed") {
  constexpr std::uint64_t sectors_of_band = 60;
  for (std::uint64_t run = 0; run < 200; ++run) {
    RandomStream random(run, "extent map");
    MapBench bench(512);
    std::map<std::uint64_t, std::uint64_t> reference;  // position by sector
    std::uint64_t position = 0;
    for (int step = 0; step < 150; ++step) {
      const std::uint64_t band = random.below(4);
      const std::uint64_t offset = random.below(sectors_of_band);
      const std::uint64_t first = band * sectors_of_band + offset;
      const auto count = static_cast<std::uint32_t>(1 + random.below(std::min<std::uint64_t>(12, sectors_of_band - offset)));
      const std::uint64_t kind = random.below(12);
      if (kind == 0) {
        bench.map.clear(band);
        for (std::uint64_t i = 0; i < sectors_of_band; ++i) reference.erase(band * sectors_of_band + i);
      } else if (kind < 3) {
        bench.map.erase(band, {LogicalSector(first), count});
        for (std::uint64_t i = 0; i < count; ++i) reference.erase(first + i);
      } else {
        bench.map.assign(band, extent(first, count, position));
        for (std::uint64_t i = 0; i < count; ++i) reference[first + i] = position + i;
        position += count;
      }
      std::map<std::uint64_t, std::uint64_t> now;
      std::uint32_t extents = 0;
      std::uint32_t bands = 0;
      for (std::uint64_t at = 0; at < 4; ++at) {
        const std::vector<Extent> in_band = bench.find(at, at * sectors_of_band, sectors_of_band);
        bands += in_band.empty() ? 0 : 1;
        for (const Extent& found : in_band) {
          ++extents;
          for (std::uint32_t i = 0; i < found.count; ++i) now[found.first.value() + i] = found.position + i;
        }
      }
      REQUIRE(now == reference);
      REQUIRE(bands == bench.map.cached_bands());
      REQUIRE(extents == bench.map.size());
      REQUIRE(reference.size() == bench.map.sectors());
      std::uint64_t oldest = ~std::uint64_t{0};
      for (const auto& [sector, at] : reference) oldest = std::min(oldest, at);
      if (!reference.empty()) REQUIRE(bench.map.oldest().position == oldest);
      std::vector<Extent> by_age;
      bench.map.find_oldest(5, by_age);
      REQUIRE(by_age.size() == std::min(extents, 5U));
      REQUIRE(std::ranges::is_sorted(by_age, {}, &Extent::position));
      if (!by_age.empty()) REQUIRE(by_age.front() == bench.map.oldest());
    }
  }
}
