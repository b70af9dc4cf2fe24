// The dm-zoned-like host on a small drive: random histories against the scoreboard and a plain array, reclaim, power cuts.
#include <catch2/catch.hpp>
#include <map>

#include "dmz_steps.hpp"
#include "host_bench.hpp"

using namespace tessera;
using namespace tessera::literals;
using tessera::test::small_dmz_host;
using tessera::test::Steps;

namespace {

/// Two zones of metadata, four random ones and 20 sequential ones, one of them in reserve.
constexpr DriveZones small_drive{.zones = 26, .conventional = 6, .zone_sectors = 64, .tags = 8, .content = ContentMode::tags};

struct DmzParts {
  using Config = DmzHostConfig;
  using Host = DmzHost;
  using Layout = DmzLayout;
  static DmzLayout plan(const DmzHostConfig& config, const DriveZones& drive, std::string& problem) {
    return plan_dmz(config, drive, problem);
  }
  static DurabilityPromise promise(const DmzHostConfig&) { return DurabilityPromise::flushed; }
};

using Bench = tessera::test::HostBench<DmzParts>;

}  // namespace

TEST_CASE("dmz: a random history reads what it wrote, while zones are reclaimed and reset") {
  const std::uint32_t random_zones = GENERATE(2U, 4U, 12U);
  const std::uint32_t reserved = GENERATE(1U, 3U);
  const bool full = GENERATE(false, true);
  for (std::uint64_t seed = 1; seed <= 2; ++seed) {
    DmzHostConfig config = small_dmz_host();
    config.reserved_zones = reserved;
    DriveZones drive = small_drive;
    drive.conventional = 2 + random_zones;
    Bench bench(config, seed, 1500, drive);
    INFO("seed " << seed << ", random zones " << random_zones << ", reserved " << reserved << ", full " << full);
    if (full) bench.link.prefill(bench.host.prefill(bench.host.user_sectors()));
    bench.player.start();
    bench.run_to_end();
    bench.read_all();
    bench.check();
    CHECK(bench.figure("translation.reclaims.move") > 5);
    CHECK(bench.figure("translation.reclaims.merge") > 5);
    CHECK(bench.link.resets > 5);
  }
}

TEST_CASE("dmz: after a power cut at any instant everything is there that was flushed") {
  for (std::uint64_t seed = 1; seed <= 16; ++seed) {
    DmzHostConfig config = small_dmz_host();
    config.reserved_zones = static_cast<std::uint32_t>(1 + seed % 3);
    DriveZones drive = small_drive;
    drive.conventional = seed % 2 == 0 ? 4 : 7;
    Bench bench(config, seed, 1500, drive);
    RandomStream random(seed, "cuts");
    bench.player.start();
    INFO("seed " << seed);
    while (!bench.player.ended()) {
      for (std::uint64_t actions = random.below(900); actions > 0 && !bench.player.ended(); --actions) bench.timeline.step();
      if (bench.player.ended()) break;
      bench.player.power_lost();
      bench.cut();
      while (random.below(3) == 0) {  // again, in the recovery or right after it
        static_cast<void>(bench.boot(random.below(60)));
        bench.cut();
      }
      REQUIRE(bench.boot());
      bench.read_all();
      bench.player.power_restored();
    }
    bench.check();
    CHECK(bench.figure("translation.recovery.reads") > 0);
  }
}

TEST_CASE("dmz: requests one after another read what a plain array holds") {
  Steps steps;
  std::vector<int> array(Steps::planned().user_sectors);
  RandomStream random(3, "array");
  for (int number = 1; number <= 1500; ++number) {
    const auto count = static_cast<std::uint32_t>(1 + random.below(12));
    const std::uint64_t first = random.below(array.size() - count);
    const std::uint64_t kind = random.below(10);
    const HostOp op = kind < 6 ? HostOp::write : kind < 9 ? HostOp::read : HostOp::trim;
    static_cast<void>(steps.run_blocks(op, first * 8, count * 8));
    for (std::uint32_t i = 0; i < count; ++i) {
      int& expected = array[first + i];
      if (op == HostOp::write) expected = std::to_integer<int>(steps.request.content.front());
      if (op == HostOp::trim) expected = 0;
      if (op == HostOp::read) REQUIRE(std::to_integer<int>(steps.request.content[i * 64]) == expected);
    }
    REQUIRE(steps.request.life.total() == steps.ended - steps.request.life.arrival);
  }
  CHECK(steps.link.resets > 20);
}

TEST_CASE("dmz: random zones are reclaimed in idle time until the application has ended") {
  const bool ends = GENERATE(false, true);
  DmzHostConfig config = small_dmz_host();
  config.reserved_zones = 4;  // room for all chunks in sequential zones
  Bench bench(config, 5, 200, small_drive);
  bench.link.prefill(bench.host.prefill(bench.host.user_sectors()));
  bench.player.start();
  bench.run_to_end();
  const double before = bench.figure("translation.cleaning.idle");
  if (ends) bench.host.application_ended();
  bench.timeline.run_until(bench.timeline.now() + 100_s);
  CHECK((bench.host.tables().free_random() == 4) == !ends);
  CHECK((bench.figure("translation.cleaning.idle") > before) == !ends);
  bench.check();
}

TEST_CASE("dmz: two runs of one history do and count the same") {
  const auto figures = [] {
    Bench bench(small_dmz_host(), 9, 1000, small_drive);
    bench.player.start();
    bench.run_to_end();
    MetricSet metrics;
    bench.host.report(metrics);
    std::map<std::string, double> all{{"end", static_cast<double>(bench.timeline.now().value())}};
    for (const Metric& metric : metrics.all()) all[metric.name] = metric.value.value_or(-1);
    return all;
  };
  CHECK(figures() == figures());
}

TEST_CASE("dmz: full zones share a bitmap until one of them changes") {
  DriveZones drive{.zones = 119212, .conventional = 1192, .zone_sectors = 65536};  // 32 TB
  std::string problem;
  const DmzLayout layout = plan_dmz({}, drive, problem);
  REQUIRE(problem.empty());
  CHECK(layout.user_sectors > std::uint64_t{1} << 32);
  DmzTables tables(layout);
  tables.prefill(layout.user_sectors, layout.chunks - (layout.zones - layout.conventional));
  const std::uint32_t zone = tables.chunk(0).data;
  const std::uint32_t last = tables.chunk(layout.chunks - 1).data;
  CHECK(tables.zone(last).valid == 65536);
  tables.set_invalid(zone, {5, 2});
  CHECK(tables.zone(zone).valid == 65534);
  CHECK_FALSE(tables.valid(zone, 6));
  CHECK(tables.valid(last, 6));
  tables.store(tables.take_changes());
  tables.set_invalid(last, {5, 1});
  static_cast<void>(tables.restore(std::vector<std::uint32_t>(drive.zones, 65536)));
  CHECK_FALSE(tables.valid(zone, 6));
  CHECK(tables.valid(last, 5));
}

TEST_CASE("dmz: a drive with too few conventional zones is told what it takes") {
  std::string problem;
  DriveZones drive = small_drive;
  drive.zones = 253;
  drive.conventional = 3;
  CHECK(plan_dmz(small_dmz_host(), drive, problem).user_sectors == 0);
  CHECK(problem.find("has 3 conventional zones of 253 and hosts.dmz needs at least 10: 8 for two sets") != std::string::npos);
  CHECK(problem.find("--set layers.zoned.conventional=0.042") != std::string::npos);
  drive.conventional = 10;
  CHECK(plan_dmz(small_dmz_host(), drive, problem).chunks == 253 - 8 - 15);
  CHECK(problem.empty());
}
