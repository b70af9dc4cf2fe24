#include "controller/cpu_cache.hpp"

#include <rapidcheck.h>

#include <catch2/catch.hpp>
#include <list>

#include "base/error.hpp"
#include "controller/memory_controller.hpp"

using namespace tessera;
using namespace tessera::literals;

namespace {

CacheConfig two_ways() {
  CacheConfig config;
  config.size = Bytes(4 * 2 * 64);  // four sets
  config.line = 64_B;
  config.ways = 2;
  return config;
}

/// A port over which each access takes 100 ns; what it carried.
struct Port final : CpuLink {
  struct Carried {
    std::uint64_t address;
    std::uint32_t bytes;
    Access access;
    Picoseconds at;
    bool operator==(const Carried&) const = default;
  };
  Picoseconds access(DramAddress address, std::uint32_t bytes, Access access, Picoseconds at) override {
    carried.push_back({address.value(), bytes, access, at});
    return at + 100_ns;
  }
  std::vector<Carried> carried;
};

constexpr Hertz clock_rate{500'000'000};  // cycles of 2 ns

constexpr std::uint64_t same_set = 4 * 64;

}  // namespace

TEST_CASE("a line is found after its first access, over all of its bytes and no further") {
  LineCache cache("controller.data_cache", two_ways());
  CHECK_FALSE(cache.access(DramAddress(64), false).hit);
  CHECK(cache.access(DramAddress(64), false).hit);
  CHECK(cache.access(DramAddress(127), false).hit);
  CHECK_FALSE(cache.access(DramAddress(128), false).hit);
  CHECK_FALSE(cache.access(DramAddress(63), false).hit);
}

TEST_CASE("the least recently used line of a set leaves, written back only if it is dirty") {
  LineCache cache("controller.data_cache", two_ways());
  cache.access(DramAddress(0), true);
  cache.access(DramAddress(same_set), false);
  cache.access(DramAddress(0), false);  // now the other one is the oldest
  CHECK_FALSE(cache.access(DramAddress(2 * same_set), false).victim.has_value());
  CHECK(cache.access(DramAddress(3 * same_set), false).victim == DramAddress(0));
  CHECK_FALSE(cache.access(DramAddress(0), false).hit);
}

TEST_CASE("the cache behaves as a list of lines a set, most recent first") {
  const bool holds = rc::check([] {
    LineCache cache("controller.data_cache", two_ways());
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
  CacheConfig config = two_ways();
  config.size = Bytes(3 * 2 * 64);
  CHECK_THROWS_AS(LineCache("controller.data_cache", config), InputError);
  config.size = Bytes(64);
  CHECK_THROWS_AS(LineCache("controller.data_cache", config), InputError);
  config = two_ways();
  config.line = Bytes(48);
  CHECK_THROWS_AS(LineCache("controller.data_cache", config), InputError);
}

TEST_CASE("a hit costs no bus time, a miss the fetch of its line, a dirty victim goes over the bus behind it") {
  Port port;
  CpuCache cache("data_cache", two_ways(), clock_rate, 1_MiB, port);
  const auto access = [&cache](std::uint64_t address, Access kind, Picoseconds at) {
    return cache.access(DramAddress(address), 4, kind, at);
  };
  CHECK(access(8, Access::write, 0_us) == 100_ns);
  CHECK(port.carried == std::vector<Port::Carried>{{0, 64, Access::read, 0_us}});
  CHECK(access(60, Access::read, 1_us) == 1_us);
  CHECK(port.carried.size() == 1);
  CHECK(access(same_set, Access::read, 2_us) == 2_us + 100_ns);
  CHECK(access(2 * same_set, Access::read, 3_us) == 3_us + 100_ns);  // drops the dirty line 0: the CPU does not wait for that
  CHECK(port.carried.back() == Port::Carried{0, 64, Access::write, 3_us + 100_ns});
  MetricSet metrics;
  cache.report(metrics);
  CHECK(metrics.find("cpu.data_cache.hits")->value == 1);
  CHECK(metrics.find("cpu.data_cache.misses")->value == 3);
  CHECK(metrics.find("cpu.data_cache.write_backs")->value == 1);
}

TEST_CASE("an access over two lines looks both up, each beyond its first cycle") {
  CacheConfig config = two_ways();
  config.latency = 3;
  Port port;
  CpuCache cache("data_cache", config, clock_rate, 1_MiB, port);
  CHECK(cache.access(DramAddress(60), 8, Access::read, 0_us) == 2 * (4_ns + 100_ns));
  CHECK(cache.access(DramAddress(60), 8, Access::read, 1_us) == 1_us + 2 * 4_ns);
  CHECK(cache.access(DramAddress(60), 4, Access::read, 2_us) == 2_us + 4_ns);
  CHECK(cache.access(DramAddress(60), 0, Access::read, 3_us) == 3_us);
}

TEST_CASE("the last line ends with the DRAM") {
  Port port;
  CpuCache cache("data_cache", two_ways(), clock_rate, Bytes(1000), port);
  cache.access(DramAddress(992), 8, Access::read, 0_us);
  CHECK(port.carried == std::vector<Port::Carried>{{960, 40, Access::read, 0_us}});
}

namespace {

struct NoDma final : DramLink {
  DmaGrant dma(const DmaTransfer&, Picoseconds at) override { return {at, Bytes(0)}; }
};

Task<void> read(MemoryController& memory, DramAddress address) {
  memory.touch(address, 8, Access::read);
  co_return;
}

}  // namespace

TEST_CASE("tables in the DRAM are reached through the data cache, those in the TCM past it, and a power cut empties it") {
  ControllerConfig config;
  config.data_cache = two_ways();
  MemoryPlacement placement;
  placement.places[static_cast<std::size_t>(MemoryCategory::merge_buffer)] = MemoryPlace::tcm;
  Timeline timeline;
  Executor cpu(timeline, config);
  Port port;
  NoDma dma;
  Interconnect bus({}, 0);
  MemoryController memory(cpu, port, dma, bus, {4096, ContentMode::none}, {16_MiB, 64_KiB, placement}, config);
  const DramAddress table = memory.reserve(MemoryCategory::metadata, 64_B, "table").address;
  const DramAddress beside = memory.reserve(MemoryCategory::merge_buffer, 64_B, "list").address;
  const auto read_in_task = [&](DramAddress address) {
    cpu.start(read(memory, address), nullptr, timeline.now());
    timeline.run();
  };
  memory.touch(table + 8, 8, Access::read);  // as the image is loaded: the cache stays empty
  CHECK(port.carried.empty());
  for (int i = 0; i < 5; ++i) read_in_task(table + 8);
  read_in_task(beside);
  CHECK(port.carried.size() == 1);
  memory.power_off();
  read_in_task(table + 8);
  CHECK(port.carried.size() == 2);
}
