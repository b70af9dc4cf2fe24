// What the host does about a drive that does not answer: abort, reset, send again, and at last give up.
#include <catch2/catch.hpp>

#include "stub_drive.hpp"

using namespace tessera;
using namespace tessera::literals;
using tessera::test::Bench;
using tessera::test::ListSource;

namespace {

/// A retry waits 1 ms.
PlayerConfig timeout(Picoseconds command, Picoseconds abort, std::uint32_t retries = 5) {
  PlayerConfig config{ReplayPolicy::parse("timed"), 32, 0};
  config.errors = {command, abort, 1_ms, retries};
  return config;
}

double metric(const Bench& bench, const char* name) {
  MetricSet metrics;
  bench.player.report(metrics);
  return *metrics.find(name)->value;
}

}  // namespace

TEST_CASE("timeout: a request that is answered in time is not aborted, one that is answered a picosecond late is") {
  for (const Picoseconds patience : {10_ms + 1_ps, 10_ms - 1_ps}) {
    auto source = ListSource::at_ms({0});
    Bench bench(source, timeout(patience, 10_ms), 10_ms);
    bench.player.start();
    bench.timeline.run_until(10_ms);
    CHECK(bench.drive.aborts.size() == (patience > 10_ms ? 0 : 1));
  }
}

TEST_CASE("timeout: what comes back aborted is sent again under its tag, as often as said, and fails then") {
  auto source = ListSource::at_ms({0});
  Bench bench(source, timeout(4_ms, 10_ms, 2), 10_ms);
  bench.run();
  CHECK(bench.drive.issued == std::vector<std::uint64_t>{0, 0, 0});
  CHECK(bench.drive.tags == std::vector<std::uint32_t>(3, bench.drive.tags.front()));
  CHECK(bench.player.statistics().failed() == 1);
  CHECK(metric(bench, "host.failed.aborted") == 1);
  CHECK(bench.recorder.ends == std::vector<Picoseconds>{32_ms});
  CHECK(bench.recorder.part(0, LifePhase::host_queue) == 2_ms);
  CHECK(bench.recorder.sums_hold);
  CHECK(bench.recorder.ended_at.size() == 1);
}

TEST_CASE("timeout: nothing new goes to a drive that commands are given up at, and each repeat has it for itself") {
  auto source = ListSource::at_ms({0, 1, 2, 5, 9});
  Bench bench(source, timeout(6_ms, 100_ms), 4_ms);
  bench.run();
  // 1, 2 and 3 are overdue at 7, 8 and 11 ms behind one another; the drive is empty at 16 ms.
  CHECK(bench.drive.aborts == std::vector<std::uint64_t>{1, 2, 3});
  CHECK(bench.drive.issued == std::vector<std::uint64_t>{0, 1, 2, 3, 1, 2, 3, 4});
  CHECK(bench.recorder.ends == std::vector<Picoseconds>{4_ms, 21_ms, 26_ms, 31_ms, 35_ms});
  CHECK(bench.recorder.part(4, LifePhase::host_queue) == 22_ms);
  CHECK(bench.recorder.sums_hold);
  CHECK(metric(bench, "host.failed") == 0);
  CHECK(metric(bench, "host.repeats") == 3);
  CHECK(metric(bench, "host.resets") == 0);
}

TEST_CASE("timeout: a queue that takes longer than a command may does not bring down the drive that serves it") {
  auto source = ListSource::at_ms(std::vector<std::uint64_t>(200, 0));
  PlayerConfig config = timeout(25_ms, 1_s);
  config.policy = ReplayPolicy::parse("closed:32");
  Bench bench(source, config, 10_ms);
  bench.run();
  CHECK(metric(bench, "host.served") == 200);
  CHECK(static_cast<double>(bench.drive.issued.size()) == 200 + metric(bench, "host.repeats"));
  CHECK(metric(bench, "host.repeats") < 200);  // none more than once
}

TEST_CASE("timeout: an abort that is not answered brings a reset, which gives up everything at the drive") {
  auto source = ListSource::at_ms({0, 3});
  Bench bench(source, timeout(4_ms, 2_ms), 9_ms);
  bench.player.start();
  bench.timeline.run_until(6_ms);
  CHECK(bench.drive.aborts == std::vector<std::uint64_t>{0, 1});  // the second at 6 ms, though it may wait until 7
  CHECK(metric(bench, "host.resets") == 1);
}
