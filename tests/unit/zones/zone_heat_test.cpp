// Which zones are hot.
#include <catch2/catch.hpp>

#include <vector>

#include "base/random.hpp"
#include "firmware/layers/fluid/zone_heat.hpp"
#include "unit/firmware/fake_ports.hpp"

using namespace tessera;
using namespace tessera::fluid;
using namespace tessera::test;

TEST_CASE("a fifth of the zones seen is hot, rounded up, and zones that are alike are cold") {
  FakeMemory memory;
  FakeCpu cpu;
  ZoneHeat heat(memory, cpu, 20, {});
  for (std::uint32_t zone = 0; zone < 4; ++zone) heat.count(zone, 1);
  for (std::uint32_t zone = 0; zone < 4; ++zone) CHECK_FALSE(heat.hot(zone));
  heat.count(2, 1);
  CHECK(heat.hot(2));
  CHECK_FALSE(heat.hot(0));
  CHECK_FALSE(heat.hot(19));
  heat.count(3, 5);  // one of four
  CHECK(heat.hot(3));
  CHECK_FALSE(heat.hot(2));
  for (std::uint32_t zone = 4; zone < 6; ++zone) heat.count(zone, 1);  // two of six
  CHECK(heat.hot(3));
  CHECK(heat.hot(2));
}

TEST_CASE("by the rule of the mean twice the mean is hot") {
  FakeMemory memory;
  FakeCpu cpu;
  FluidConfig config;
  config.hot_rule = HotRule::mean;
  ZoneHeat heat(memory, cpu, 4, config);
  heat.count(0, 1);
  heat.count(1, 2);
  heat.count(2, 5);
  CHECK_FALSE(heat.hot(2));  // mean 8/3
  heat.count(2, 1);
  CHECK(heat.hot(2));  // mean 3
  CHECK_FALSE(heat.hot(1));
}

TEST_CASE("counts are halved after hot_decay sectors") {
  FakeMemory memory;
  FakeCpu cpu;
  FluidConfig config;
  config.hot_decay = 10;
  config.hot_rule = HotRule::mean;
  ZoneHeat heat(memory, cpu, 3, config);
  heat.count(0, 8);
  heat.count(1, 1);
  CHECK(heat.hot(0) == false);  // 8 of 9 over two zones: mean 4.5
  heat.count(2, 1);             // the tenth: 4, 0, 0
  CHECK_FALSE(heat.hot(1));
  CHECK_FALSE(heat.hot(0));  // alone, it is the mean
  heat.count(1, 1);
  heat.count(2, 1);
  CHECK(heat.hot(0));  // 4 against a mean of 2
}

TEST_CASE("ranks agree with counting") {
  RandomStream random(3, "zone heat");
  FakeMemory memory;
  FakeCpu cpu;
  FluidConfig config;
  config.hot_decay = 500;
  config.hot_frac = 0.25;
  ZoneHeat heat(memory, cpu, 40, config);
  std::vector<std::uint32_t> counts(40);
  std::uint32_t since = 0;
  for (int step = 0; step < 5000; ++step) {
    const auto zone = static_cast<std::uint32_t>(random.below(1 + random.below(40)));
    const auto written = static_cast<std::uint32_t>(1 + random.below(9));
    heat.count(zone, written);
    counts[zone] += written;
    since += written;
    if (since >= 500) {
      since = 0;
      for (std::uint32_t& count : counts) count /= 2;
    }
    std::uint32_t seen = 0;
    std::uint32_t alike_or_above = 0;
    for (const std::uint32_t count : counts) {
      seen += count != 0 ? 1 : 0;
      alike_or_above += count >= counts[zone] && count != 0 ? 1 : 0;
    }
    REQUIRE(heat.hot(zone) == (counts[zone] != 0 && alike_or_above <= (seen + 3) / 4));
  }
}

TEST_CASE("the table of ranks stays at a MiB, however long the interval of decay") {
  FakeMemory memory;
  FakeCpu cpu;
  FluidConfig config;
  config.hot_decay = 1'000'000'000;
  constexpr std::uint64_t zones = 20;
  CHECK(ZoneHeat(memory, cpu, zones, config).bytes() == Bytes((zones + (1 << 18) + 1) * 4));
}
