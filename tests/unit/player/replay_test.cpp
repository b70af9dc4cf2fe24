#include <catch2/catch.hpp>

#include "base/error.hpp"
#include "base/simulated_time.hpp"
#include "stub_drive.hpp"

using namespace tessera;
using namespace tessera::literals;
using tessera::test::Bench;
using tessera::test::ListSource;

namespace {

PlayerConfig config(const char* policy, std::uint32_t tags = 32) {
  const bool by_input = std::string_view(policy) == "by input";
  return {by_input ? ReplayPolicy{ReplayKind::by_input, 0} : ReplayPolicy::parse(policy), tags, 0};
}

}  // namespace

TEST_CASE("timed: arrivals are the trace's, and latency counts the waiting") {
  auto source = ListSource::at_ms({0, 3, 4, 100});
  Bench bench(source, config("timed"), 10_ms);
  bench.run();
  const auto& r = bench.recorder;
  CHECK(r.ends == std::vector<Picoseconds>{10_ms, 20_ms, 30_ms, 110_ms});
  CHECK(r.latency(1) == 17_ms);
  CHECK(r.latency(2) == 26_ms);
  CHECK(r.latency(3) == 10_ms);
  CHECK(r.ended_at == std::vector<Picoseconds>{110_ms});
  CHECK(bench.player.time_dilation() == 1.0);
}

TEST_CASE("timed: time 0 of the trace is the start of the player") {
  auto source = ListSource::at_ms({0, 3});
  Bench bench(source, config("timed"), 1_ms);
  bench.timeline.advance_to(500_ms);
  bench.run();
  CHECK(bench.recorder.ends == std::vector<Picoseconds>{501_ms, 504_ms});
}

TEST_CASE("timed: no more requests are at the drive than there are tags, the rest waits in order, accounted as host queue") {
  const std::uint32_t extra = GENERATE(0U, 1U);
  auto source = ListSource::at_ms(std::vector<std::uint64_t>(32 + extra, 0));
  Bench bench(source, config("timed", 32), 10_ms);
  bench.player.start();
  CHECK(bench.player.outstanding() == 32);
  CHECK(bench.drive.issued.size() == 32);
  bench.timeline.run();
  CHECK(bench.drive.depth == 32);
  CHECK(bench.recorder.ends.size() == 32 + extra);
  CHECK(bench.recorder.part(31, LifePhase::host_queue) == 0_ms);
  if (extra == 1) {
    CHECK(bench.recorder.part(32, LifePhase::host_queue) == 10_ms);
    CHECK(bench.recorder.lives[32].issue == 10_ms);
    CHECK(bench.recorder.lives[32].arrival == 0_ms);
    CHECK(bench.drive.tags.back() == bench.drive.tags.front());  // the tag that came free
  }
  CHECK(bench.recorder.sums_hold);
}

TEST_CASE("timed: a backlog waits in the trace, not in memory") {
  auto source = ListSource::at_ms(std::vector<std::uint64_t>(1000, 0));
  Bench bench(source, config("timed", 4), 1_ms);
  bench.player.start();
  CHECK(source.read() == 4);
  bench.timeline.run();
  CHECK(bench.recorder.latency(999) == 1000_ms);
}

TEST_CASE("closed: a depth of requests is always uncompleted, times are ignored") {
  auto source = ListSource::at_ms({7, 1000, 5000, 5000, 9000});
  Bench bench(source, config("closed:2"), 10_ms);
  bench.run();
  CHECK(bench.recorder.ends == std::vector<Picoseconds>{10_ms, 20_ms, 30_ms, 40_ms, 50_ms});
  CHECK(bench.recorder.lives[2].arrival == 10_ms);
  CHECK(bench.recorder.lives[4].arrival == 30_ms);
  for (std::size_t i = 1; i < 5; ++i) CHECK(bench.recorder.latency(i) == 20_ms);
}

TEST_CASE("think: each request arrives its think time after the completion before, whatever the input's arrivals") {
  // 10 ms a request; think times 4, 0 and 7 ms.   arrivals: 5 (the input's own), 15 + 4, 29 + 0, 39 + 7
  auto source = ListSource::thinking_ms({5, 6, 1000, 1001}, {99, 4, 0, 7});
  Bench bench(source, config(GENERATE("think", "by input")), 10_ms);
  bench.run();
  std::vector<Picoseconds> arrivals;
  for (const auto& life : bench.recorder.lives) arrivals.push_back(life.arrival);
  CHECK(arrivals == std::vector<Picoseconds>{5_ms, 19_ms, 29_ms, 46_ms});
  for (std::size_t i = 0; i < 4; ++i) CHECK(bench.recorder.latency(i) == 10_ms);
  CHECK(bench.recorder.sums_hold);
}

TEST_CASE("think: refused for an input that tells no think times, which by default is timed") {
  auto source = ListSource::at_ms({0, 3});
  CHECK_THROWS_WITH(Bench(source, config("think"), 10_ms),
                    "--replay think: the input tells no think times (from a completion to the next arrival); DiskSim's validation format, "
                    "hpval, does");
  Bench bench(source, config("by input"), 10_ms);
  bench.run();
  CHECK(bench.recorder.lives[1].arrival == 3_ms);
}

TEST_CASE("queue: gaps are kept while the queue has room, then a drain is the arrival, and the dilation says so") {
  // Depth 2, 10 ms a request.   trace:    0  1   2   3   50
  // the queue is full from 1 ms on.  d:   0  1  10  20   67 = 20 + 47
  auto source = ListSource::at_ms({0, 1, 2, 3, 50});
  Bench bench(source, config("queue:2"), 10_ms);
  bench.run();
  const auto& r = bench.recorder;
  std::vector<Picoseconds> arrivals;
  for (const auto& life : r.lives) arrivals.push_back(life.arrival);
  CHECK(arrivals == std::vector<Picoseconds>{0_ms, 1_ms, 10_ms, 20_ms, 67_ms});
  CHECK(r.ends == std::vector<Picoseconds>{10_ms, 20_ms, 30_ms, 40_ms, 77_ms});
  CHECK(r.latency(2) == 20_ms);  // from the dilated arrival
  CHECK(bench.player.time_dilation() == 67.0 / 50.0);
  MetricSet metrics;
  bench.player.report(metrics);
  CHECK(metrics.find("host.time_dilation")->value == 67.0 / 50.0);
}

TEST_CASE("queue: what the depth admits beyond the tags waits at the host") {
  auto source = ListSource::at_ms(std::vector<std::uint64_t>(65, 0));
  Bench bench(source, config("queue:64", 32), 10_ms);
  bench.player.start();
  CHECK(bench.player.outstanding() == 32);
  bench.timeline.run();
  CHECK(bench.drive.depth == 32);
  CHECK(bench.recorder.lives[63].arrival == 0_ms);
  CHECK(bench.recorder.part(63, LifePhase::host_queue) == 320_ms);
  CHECK(bench.recorder.lives[64].arrival == 10_ms);  // a place came free with the first completion
  CHECK(bench.recorder.part(64, LifePhase::host_queue) == 320_ms);
  CHECK(bench.recorder.sums_hold);
  std::vector<std::uint64_t> in_order(65);
  for (std::size_t i = 0; i < in_order.size(); ++i) in_order[i] = i;
  CHECK(bench.drive.issued == in_order);
}

TEST_CASE("a drive that completes from within issue() serves the whole input") {
  const char* policy = GENERATE("timed", "queue:3", "closed:1");
  auto source = ListSource::at_ms(std::vector<std::uint64_t>(100'000, 5));
  Bench bench(source, config(policy), 0_ms);
  bench.run();
  CHECK(bench.player.completions() == 100'000);
  CHECK(bench.recorder.ended_at.size() == 1);
}

TEST_CASE("an empty input ends at once") {
  ListSource source({});
  Bench bench(source, config("timed"), 1_ms);
  bench.player.start();
  CHECK(bench.player.ended());
  CHECK(bench.recorder.ended_at == std::vector<Picoseconds>{0_ms});
}

TEST_CASE("stop() issues nothing more, completes what is at the drive, and ends") {
  auto source = ListSource::at_ms({0, 0, 0, 1000});
  Bench bench(source, config("timed", 2), 10_ms);
  bench.player.start();
  bench.timeline.run_until(5_ms);
  bench.player.stop();
  bench.timeline.run();
  CHECK(bench.recorder.ends == std::vector<Picoseconds>{10_ms, 20_ms});
  CHECK(bench.recorder.ended_at == std::vector<Picoseconds>{20_ms});
  CHECK(bench.player.stopped());
}

TEST_CASE("stop() between two arrivals ends the run then, not at the next arrival") {
  auto source = ListSource::at_ms({0, 1000});
  Bench bench(source, config("timed"), 10_ms);
  bench.player.start();
  bench.timeline.run_until(20_ms);
  bench.player.stop();
  CHECK(bench.player.ended());
  CHECK(bench.timeline.empty());
}

TEST_CASE("policies are parsed, and others refused with what is expected") {
  CHECK(ReplayPolicy::parse("timed").kind == ReplayKind::timed);
  CHECK(ReplayPolicy::parse("think").kind == ReplayKind::think);
  CHECK(ReplayPolicy::parse("queue:64").kind == ReplayKind::queue);
  CHECK(ReplayPolicy::parse("queue:64").depth == 64);
  CHECK(ReplayPolicy::parse("closed:65536").depth == 65'536);
  for (const char* text :
       {"", "Timed", "queue", "queue:", "queue:0", "closed:65537", "closed:1x", "closed:-1", "timed:3", "think:1", "open:3"}) {
    INFO(text);
    CHECK_THROWS_WITH(ReplayPolicy::parse(text), Catch::Contains("expected timed, think, queue:N or closed:N with N from 1 to 65536"));
  }
}

TEST_CASE("a request that is not whole blocks is refused with its place") {
  ListSource source({{0_ps, HostOp::read, false, 0, 512_B, 513_B}});
  Bench bench(source, config("timed"), 1_ms);
  CHECK_THROWS_WITH(bench.player.start(), "list:1: offset 512 B, size 513 B; expected multiples of 512 B");
}

TEST_CASE("completing a request twice, or with an unaccounted life, is a model bug") {
  Timeline timeline;
  struct Keeper final : HostLink {
    void issue(HostRequest& request) override { last = &request; }
    void abort(HostRequest&) override {}
    HostRequest* last = nullptr;
  } link;
  auto source = ListSource::at_ms({0});
  Player player(config("timed"), timeline, source, link);
  player.start();
  timeline.advance_to(5_ms);
  CHECK_THROWS_AS(player.completed(*link.last), ModelBug);
  link.last->life.account(LifePhase::transfer, 5_ms);
  player.completed(*link.last);
  CHECK_THROWS_AS(player.completed(*link.last), ModelBug);
}

TEST_CASE("a request arrives as late as time can be simulated, and one a picosecond later is refused at its place") {
  const char* policy = GENERATE("timed", "queue:4");
  CAPTURE(policy);
  const Picoseconds boot = 3_s;
  ListSource last(
      {{0_ps, HostOp::read, false, 0, Bytes(0), Bytes(4096)}, {end_of_input - boot, HostOp::read, false, 0, Bytes(0), Bytes(4096)}});
  Bench served(last, config(policy), 1_ms);
  served.timeline.advance_to(boot);
  served.run();
  CHECK(served.recorder.ends.back() == end_of_input + 1_ms);

  ListSource beyond(
      {{0_ps, HostOp::read, false, 0, Bytes(0), Bytes(4096)}, {end_of_input - boot + 1_ps, HostOp::read, false, 0, Bytes(0), Bytes(4096)}});
  Bench refused(beyond, config(policy), 1_ms);
  refused.timeline.advance_to(boot);
  CHECK_THROWS_WITH(refused.run(), Catch::Contains(":2") && Catch::Contains("more than 200 days of simulated time"));
}

TEST_CASE("a closed loop that outlasts the time that can be simulated is refused at the request that would pass it") {
  auto source = ListSource::at_ms({0, 0, 0, 0, 0});
  Bench bench(source, config("closed:1"), end_of_input / 4 + 1_ps);
  CHECK_THROWS_WITH(bench.run(), Catch::Contains(":5") && Catch::Contains("more than 200 days"));
  CHECK(bench.recorder.ends.size() == 4);
}
