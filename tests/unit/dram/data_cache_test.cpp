#include "dram/data_cache.hpp"

#include <rapidcheck.h>

#include <catch2/catch.hpp>
#include <list>

#include "base/error.hpp"
#include "dram/dram_device.hpp"

using namespace tessera;
using namespace tessera::literals;

namespace {

DataCacheConfig two_ways() {
  DataCacheConfig config;
  config.size = Bytes(4 * 2 * 64);  // four sets
  config.ways = 2;
  return config;
}

constexpr std::uint64_t same_set = 4 * 64;

}  // namespace

TEST_CASE("a line is found after its first access, over all of its bytes and no further") {
  DataCache cache(two_ways());
  CHECK_FALSE(cache.access(DramAddress(64), false).hit);
  CHECK(cache.access(DramAddress(64), false).hit);
  CHECK(cache.access(DramAddress(127), false).hit);
  CHECK_FALSE(cache.access(DramAddress(128), false).hit);
  CHECK_FALSE(cache.access(DramAddress(63), false).hit);
}

TEST_CASE("the least recently used line of a set leaves, written back only if it is dirty") {
  DataCache cache(two_ways());
  cache.access(DramAddress(0), true);
  cache.access(DramAddress(same_set), false);
  cache.access(DramAddress(0), false);  // now the other one is the oldest
  CHECK_FALSE(cache.access(DramAddress(2 * same_set), false).victim.has_value());
  CHECK(cache.access(DramAddress(3 * same_set), false).victim == DramAddress(0));
  CHECK_FALSE(cache.access(DramAddress(0), false).hit);
}

TEST_CASE("the cache behaves as a list of lines a set, most recent first") {
  const bool holds = rc::check([] {
    DataCache cache(two_ways());
    std::vector<std::list<std::pair<std::uint64_t, bool>>> sets(4);
    for (const auto& [line, write] : *rc::gen::container<std::vector<std::pair<std::uint64_t, bool>>>(
             rc::gen::pair(rc::gen::inRange<std::uint64_t>(0, 24), rc::gen::arbitrary<bool>()))) {
      auto& set = sets[line % 4];
      const auto found = std::find_if(set.begin(), set.end(), [line = line](const auto& entry) { return entry.first == line; });
      const bool hit = found != set.end();
      bool dirty = write;
      std::optional<DramAddress> victim;
      if (hit) {
        dirty |= found->second;
        set.erase(found);
      } else if (set.size() == 2) {
        if (set.back().second) victim = DramAddress(set.back().first * 64);
        set.pop_back();
      }
      set.emplace_front(line, dirty);
      const auto outcome = cache.access(DramAddress(line * 64 + 5), write);
      RC_ASSERT(outcome.hit == hit);
      RC_ASSERT(outcome.victim == victim);
    }
  });
  CHECK(holds);
}

TEST_CASE("a cache whose sets are not a power of two is refused") {
  DataCacheConfig config = two_ways();
  config.size = Bytes(3 * 2 * 64);
  CHECK_THROWS_AS(DataCache(config), InputError);
  config.size = Bytes(64);
  CHECK_THROWS_AS(DataCache(config), InputError);
  config = two_ways();
  config.line = Bytes(48);
  CHECK_THROWS_AS(DataCache(config), InputError);
}

TEST_CASE("a hit costs the hit time, a miss the fetch of its line as well, a victim is written back behind it") {
  DramConfig config;
  config.cache = two_ways();
  DramDevice dram{config};
  const auto access = [&dram](std::uint64_t address, Access kind, Picoseconds now) {
    return dram.access(DramAddress(address), 4, kind, now);
  };
  constexpr Picoseconds fetch = 13'750_ps + 4 * 5_ns;  // from an open row
  CHECK(access(0, Access::write, 0_us) == 2_ns + 13'750_ps + fetch);
  CHECK(access(0, Access::read, 1_us) == 1_us + 2_ns);
  CHECK(access(same_set, Access::read, 2_us) == 2_us + 2_ns + fetch);
  CHECK(access(2 * same_set, Access::read, 3_us) == 3_us + 2_ns + fetch);                               // drops the dirty line 0
  CHECK(access(64, Access::read, 3_us + 2_ns + fetch) == 3_us + 2 * (2_ns + fetch) + 4 * 5_ns - 2_ns);  // behind its write-back
  MetricSet metrics;
  dram.report(metrics, 1_ms);
  CHECK(metrics.find("dram.cache.hits")->value == 1);
  CHECK(metrics.find("dram.cache.misses")->value == 4);
  CHECK(metrics.find("dram.cache.write_backs")->value == 1);
}

TEST_CASE("an access over two lines looks both up, a power cut empties the cache") {
  DramConfig config;
  config.cache = two_ways();
  DramDevice dram{config};
  dram.access(DramAddress(60), 8, Access::read, 0_us);
  CHECK(dram.access(DramAddress(60), 8, Access::read, 1_us) == 1_us + 4_ns);
  dram.cut();
  CHECK(dram.access(DramAddress(60), 4, Access::read, 2_us) > 2_us + 2_ns);
}
