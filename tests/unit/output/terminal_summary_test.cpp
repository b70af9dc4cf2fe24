#include "platforms/output/terminal_summary.hpp"

#include <catch2/catch.hpp>
#include <sstream>

using namespace tessera;

namespace {

/// What every run reports.
MetricSet of_a_run() {
  MetricSet metrics;
  metrics.add("host.served", 60000.0, "1", "");
  metrics.add("host.failed", 0.0, "1", "");
  metrics.add("host.latency.mean", 308.2, "ms", "");
  metrics.add("host.latency.p99", 10100.0, "ms", "");
  metrics.add("host.latency.max", 84000.0, "ms", "");
  metrics.add("capacity.user", 68719476736.0, "B", "");
  metrics.add("metadata.bytes", 40960.0, "B", "");
  metrics.add("dram.reserved.total", 102078336.0, "B", "");
  metrics.add("run.simulated_seconds", 6012.0, "s", "");
  metrics.add("run.requests_per_cpu_second", 763281.0, "1/s", "");
  return metrics;
}

}  // namespace

TEST_CASE("a summary speaks in the units that one thinks in and leaves out what the run has none of") {
  CHECK(terminal_summary(of_a_run(), {}) ==
        "  requests    60,000 served\n"
        "  latency     mean 308 ms, p99 10.1 s, max 1 min 24 s\n"
        "  capacity    64.0 GiB\n"
        "  DRAM        97.3 MiB reserved, 40.0 KiB of it for tables\n"
        "  time        1 h 40 min simulated, 763,281 requests per CPU-second\n");
}

TEST_CASE("what a run has of flash, power loss, recovery and checks stands in its groups") {
  MetricSet metrics = of_a_run();
  metrics.add("write_amplification.total", 92.9, "1", "");
  metrics.add("rmw.count", 130.0, "1", "");
  metrics.add("cleaning.count", 96.0, "1", "");
  metrics.add("cleaning.mean", 4200.0, "ms", "");
  metrics.add("nand.lifetime.years.mean", 12.0, "years", "");
  metrics.add("nand.lifetime.years.worst_block", 9.5, "years", "");
  metrics.add("power.dirty.peak", 2097152.0, "B", "");
  metrics.add("power.dirty.hold_up", 105.0, "ms", "");
  metrics.add("power.dirty.energy", 315.0, "mJ", "");
  metrics.add("recovery.time", 12.0, "ms", "");
  metrics.add("scoreboard.checked", 1000.0, "1", "");
  metrics.add("scoreboard.errors", 0.0, "1", "");
  const std::string text = terminal_summary(metrics, {});
  for (const char* line :
       {"  written     write amplification 92.9, 130 read-modify-writes\n", "  cleaning    96 cleanings of 4.20 s on average\n",
        "  flash life  9.50 years (worst block; 12.0 years with perfect wear levelling)\n",
        "  unsaved     2 MiB at most; to save them takes 105 ms and 315 mJ\n", "  recovery    12.0 ms\n",
        "  checked     1,000 blocks, 0 wrong\n"})
    CHECK_THAT(text, Catch::Contains(line));
}

TEST_CASE("throughput, the share of reads and the usual percentiles stand at the top") {
  MetricSet metrics = of_a_run();
  metrics.add("host.reads", 22800.0, "1", "");
  metrics.add("host.throughput", 150.0, "1/s", "");
  metrics.add("host.bandwidth", 600e3, "B/s", "");
  metrics.add("host.latency.p50", 0.0322, "ms", "");
  metrics.add("host.latency.p999", 21000.0, "ms", "");
  CHECK_THAT(terminal_summary(metrics, {}),
             Catch::StartsWith("  requests    60,000 served, 38 % of them reads\n"
                               "  throughput  150 requests/s, 586 KiB/s\n"
                               "  latency     mean 308 ms, p50 32.2 us, p99 10.1 s, p99.9 21.0 s, max 1 min 24 s\n"));
  CHECK_THAT(terminal_summary(metrics, {.percentiles = {{"99.9", 0.999}}}),
             Catch::Contains("  latency     mean 308 ms, p99.9 21.0 s, max 1 min 24 s\n"));
}

TEST_CASE("what is busy nearly all the time bounds a run, and what is not does not") {
  MetricSet busy = of_a_run();
  busy.add("disk_channel.utilisation", 0.69, "1", "");
  CHECK_THAT(terminal_summary(busy, {}), Catch::Contains("  busy        media 69 %\n"));
  MetricSet bound = of_a_run();
  bound.add("disk_channel.utilisation", 0.7, "1", "");
  CHECK_THAT(terminal_summary(bound, {}), Catch::Contains("  bound by    media 70 %\n"));
}

TEST_CASE("a power cut and its recovery are said, and how much of the DRAM is taken") {
  MetricSet metrics = of_a_run();
  metrics.add("recovery.time", 30.7, "ms", "");
  CHECK_THAT(terminal_summary(metrics, {.power_cuts = 1}), Catch::Contains("  power       cut once; the last recovery took 30.7 ms\n"));
  const std::string twice = terminal_summary(metrics, {.power_cuts = 2, .dram = Bytes(256 << 20)});
  CHECK_THAT(twice, Catch::Contains("  power       cut 2 times; the last recovery took 30.7 ms\n"));
  CHECK_THAT(twice, Catch::Contains("  DRAM        97.3 MiB of 256 MiB reserved, 40.0 KiB of it for tables\n"));
}

TEST_CASE("no line of a summary is longer than a terminal is wide") {
  MetricSet metrics = of_a_run();
  metrics.add("nand.lifetime.years.mean", 2.0, "years", "");
  metrics.add("nand.lifetime.years.worst_block", 0.01, "years", "");
  for (const char* const part : {"rewrite_journal", "write_journal", "read_cache", "flash_cache"}) {
    metrics.add(std::string("flash.area.") + part + ".blocks", 128.0, "1", "");
    metrics.add(std::string("nand.lifetime.years.") + part, 0.0125, "years", "");
  }
  std::istringstream lines(terminal_summary(metrics, {}));
  for (std::string line; std::getline(lines, line);) CHECK(line.size() <= 80);
}

TEST_CASE("the time of reads and writes follows what was busy") {
  MetricSet metrics = of_a_run();
  metrics.add("disk_channel.utilisation", 0.066, "1", "");
  metrics.add("host.read.time.rotation", 8.0, "ms", "");
  metrics.add("host.read.slowest.rotation", 20.0, "ms", "");
  metrics.add("host.write.time.host_queue", 300.0, "ms", "");
  metrics.add("host.write.slowest.host_queue", 11000.0, "ms", "");
  CHECK_THAT(terminal_summary(metrics, {}), Catch::Contains("  busy        media 6.6 %\n"
                                                            "  reads       8.00 ms on average: media 100 %\n"
                                                            "  slowest 1 % 20.0 ms on average: media 100 %\n"
                                                            "  writes      300 ms on average: host queue 100 %\n"
                                                            "  slowest 1 % 11.0 s on average: host queue 100 %\n"));
  metrics.add("host.read.cause.cleaning", 8.0, "ms", "");
  metrics.add("host.read.slowest_cause.cleaning", 20.0, "ms", "");
  CHECK_THAT(terminal_summary(metrics, {}), Catch::Contains("  reads       8.00 ms on average: media 100 %\n"
                                                            "              spent on cleaning 100 %\n"
                                                            "  slowest 1 % 20.0 ms on average: media 100 %\n"
                                                            "              spent on cleaning 100 %\n"));
}

TEST_CASE("waits for tags or at the flash are what bound a run where they are most of the latency of all requests") {
  const auto bound_by = [](double reads_for_tags, double writes_at_flash) {  // in means of the latency
    constexpr double mean = 308.2;                                           // of_a_run()
    MetricSet metrics = of_a_run();
    metrics.add("disk_channel.utilisation", 0.066, "1", "");
    metrics.add("host.reads", 45000.0, "1", "");
    metrics.add("host.writes", 15000.0, "1", "");
    metrics.add("host.read.cause.tags", reads_for_tags * mean, "ms", "");
    metrics.add("host.write.cause.flash", writes_at_flash * mean, "ms", "");
    return terminal_summary(metrics, {});
  };
  CHECK_THAT(bound_by(1.2, 0.0), Catch::Contains("  bound by    media 6.6 %; waits for tags: 90 % of the latency\n"));
  CHECK_THAT(bound_by(0.0, 2.4), Catch::Contains("  bound by    media 6.6 %; waits at the flash: 60 % of the latency\n"));
  CHECK_THAT(bound_by(0.6, 1.8), Catch::Contains("  busy        media 6.6 %\n"));
}

TEST_CASE("a part of the flash that wears out long before the rest is named") {
  MetricSet metrics = of_a_run();
  metrics.add("nand.lifetime.years.mean", 2.0, "years", "");
  metrics.add("nand.lifetime.years.worst_block", 0.01, "years", "");
  metrics.add("flash.area.rewrite_journal.blocks", 128.0, "1", "");
  metrics.add("nand.lifetime.years.rewrite_journal", 0.0125, "years", "");
  metrics.add("flash.area.read_cache.blocks", 8192.0, "1", "");
  metrics.add("nand.lifetime.years.read_cache", 1.9, "years", "");
  CHECK_THAT(terminal_summary(metrics, {}), Catch::Contains("  flash life  3 d 15 h (worst block,\n"
                                                            "              of the 128 over which the rewrite journal rotates;\n"
                                                            "              read cache alone 1.90 years;\n"
                                                            "              2.00 years with perfect wear levelling)\n"));
}

TEST_CASE("parts of the flash that last as long as all of it are not named") {
  MetricSet metrics = of_a_run();
  metrics.add("nand.lifetime.years.mean", 2.0, "years", "");
  metrics.add("nand.lifetime.years.worst_block", 1.5, "years", "");
  metrics.add("flash.area.read_cache.blocks", 8192.0, "1", "");
  metrics.add("nand.lifetime.years.read_cache", 1.9, "years", "");
  CHECK_THAT(terminal_summary(metrics, {}),
             Catch::Contains("  flash life  1.50 years (worst block; 2.00 years with perfect wear levelling)\n"));
}

TEST_CASE("uneven wear after too few erases is no pace, and the summary says so") {
  MetricSet metrics = of_a_run();
  metrics.add("nand.lifetime.years.mean", 2.0, "years", "");
  metrics.add("nand.lifetime.years.worst_block", 0.9, "years", "");
  MetricSet fresh = metrics;
  metrics.add("nand.wear.max", 4.0, "1", "");
  CHECK_THAT(terminal_summary(metrics, {}), Catch::Contains("(worst block; 2.00 years with perfect wear levelling)\n"));
  fresh.add("nand.wear.max", 3.0, "1", "");
  CHECK_THAT(terminal_summary(fresh, {}), Catch::Contains("(worst block, after too few erases to tell;\n"));
}

TEST_CASE("what a flash read cache did is a line of its own") {
  MetricSet metrics = of_a_run();
  metrics.add("flash_cache.hits", 0.0, "sectors", "");
  metrics.add("flash_cache.hit_ratio", std::nullopt, "1", "");
  metrics.add("flash_cache.admitted", 0.0, "sectors", "");
  CHECK_THAT(terminal_summary(metrics, {}),
             Catch::Contains("  flash cache no sector was read that DRAM did not have; 0 sectors taken in\n"));
  MetricSet read = of_a_run();
  read.add("flash_cache.hits", 90.0, "sectors", "");
  read.add("flash_cache.hit_ratio", 0.081, "1", "");
  read.add("flash_cache.admitted", 1850.0, "sectors", "");
  CHECK_THAT(terminal_summary(read, {}),
             Catch::Contains(
                 "  flash cache 8.1 % of the sectors read that DRAM did not have came from it;\n              1,850 sectors taken in\n"));
}

TEST_CASE("what a flash write cache did is a line of its own") {
  MetricSet metrics = of_a_run();
  metrics.add("flash.written", 20'260.0, "sectors", "");
  metrics.add("flash.past", 8.0, "sectors", "");
  metrics.add("flash.moved_on", 0.0, "sectors", "");
  CHECK_THAT(terminal_summary(metrics, {}),
             Catch::Contains(
                 "  flash cache 20,260 sectors written to it, 8 sectors past it;\n              0 sectors moved on to the platters\n"));
}

TEST_CASE("what is wrong comes first, the worst at the top") {
  MetricSet metrics = of_a_run();
  metrics.add("scoreboard.errors", 3.0, "1", "");
  const auto wrong = what_is_wrong(metrics, {true, true, true});
  REQUIRE(wrong.size() == 4);
  CHECK(wrong[0] == "3 blocks came back wrong");
  CHECK(wrong[1] == "ended before its input: these are the figures of a part");
  CHECK_THAT(wrong[2], Catch::StartsWith("unstable: "));
  CHECK_THAT(wrong[3], Catch::StartsWith("too short: "));
  CHECK_THAT(terminal_summary(metrics, {true, true, true}), Catch::StartsWith("  ! 3 blocks came back wrong\n  ! ended"));
  CHECK(what_is_wrong(of_a_run(), {}).empty());
}

TEST_CASE("a clock that a layer of the user's declares is told by its name until it has come round") {
  MetricSet metrics = of_a_run();
  metrics.add("progress.level_merges.done", 3.0, "1", "");
  metrics.add("progress.level_merges.of", 20.0, "1", "");
  metrics.add("progress.cleanings.done", 3.0, "1", "");
  metrics.add("progress.cleanings.of", 20.0, "1", "");
  const auto wrong = what_is_wrong(metrics, {});
  REQUIRE(wrong.size() == 1);
  CHECK(wrong[0] == "not yet: level merges of the layer, of which came only 3 of 20, so do not compare these results with others");
}

TEST_CASE("flash that was hardly erased is no reason to doubt what does not depend on its wear") {
  MetricSet metrics = of_a_run();
  metrics.add("progress.flash_wear.done", 1.0, "1", "");
  metrics.add("progress.flash_wear.of", 20.0, "1", "");
  CHECK(what_is_wrong(metrics, {}).empty());
}

TEST_CASE("a run of which nothing was measured says that, and what it stands for no more") {
  MetricSet metrics;
  metrics.add("host.served", 0.0, "1", "");
  metrics.add("host.failed", 0.0, "1", "");
  const auto wrong = what_is_wrong(metrics, {.partial = true, .cleans = true});
  REQUIRE(wrong.size() == 2);
  CHECK_THAT(wrong[0], Catch::StartsWith("ended before its input"));
  CHECK_THAT(wrong[1], Catch::StartsWith("no request was measured: "));
}

TEST_CASE("of one there is no plural") {
  MetricSet metrics;
  metrics.add("host.served", 8.0, "1", "");
  metrics.add("host.failed", 1.0, "1", "");
  metrics.add("scoreboard.errors", 1.0, "1", "");
  metrics.add("cleaning.count", 1.0, "1", "");
  const auto wrong = what_is_wrong(metrics, {.cleans = true});
  REQUIRE(wrong.size() == 3);
  CHECK(wrong[0] == "1 block came back wrong");
  CHECK(wrong[1] == "1 request failed");
  CHECK_THAT(wrong[2], Catch::StartsWith("only 1 cleaning: "));
}

TEST_CASE("twenty cleanings rank a layer, nineteen do not") {
  for (const auto& [cleanings, few] : {std::pair(19.0, true), {20.0, false}}) {
    MetricSet metrics = of_a_run();
    metrics.add("cleaning.count", cleanings, "1", "");
    CHECK(what_is_wrong(metrics, {false, false, true}).empty() != few);
  }
}

TEST_CASE("the busiest resources are the limit, highest first, of several of a kind the busiest") {
  MetricSet metrics;
  metrics.add("disk_channel.utilisation", 0.123, "1", "");
  metrics.add("cpu.utilisation", 0.97, "1", "");
  metrics.add("cpu.core0.utilisation", 0.99, "1", "");  // a part of the CPU's
  metrics.add("nand.die.0.utilisation", 0.2, "1", "");
  metrics.add("nand.die.11.utilisation", 0.3, "1", "");
  metrics.add("bus.utilisation", 0.05, "1", "");
  metrics.add("bus.host.utilisation", 0.9, "1", "");  // a part of the bus's
  metrics.add("dram.utilisation", 0.01, "1", "");
  metrics.add("link.utilisation", 0.0009, "1", "");
  CHECK(bound_by(metrics) == "CPU 97 %, flash die 30 %, media 12 %, bus 5.0 %");
  CHECK(bound_by(MetricSet()).empty());
}

TEST_CASE("the boot that a run began with is no recovery of the run") {
  MetricSet metrics;
  metrics.add("recovery.time", 229, "ms", "");
  RunVerdict begun_used;
  begun_used.recovered = false;
  CHECK_THAT(terminal_summary(metrics, {}), Catch::Contains("recovery    229 ms"));
  CHECK_THAT(terminal_summary(metrics, begun_used), !Catch::Contains("recovery"));
}
