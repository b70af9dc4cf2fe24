#include <catch2/catch.hpp>

#include "stub_drive.hpp"

using namespace tessera;
using namespace tessera::literals;
using tessera::test::Bench;
using tessera::test::ListSource;

namespace {

struct CountingChecker final : ContentChecker {
  void issued(HostRequest& request) override { events.push_back("issued " + std::to_string(request.number)); }
  void completed(const HostRequest& request) override { events.push_back("completed " + std::to_string(request.number)); }
  void lost(const HostRequest& request) override { events.push_back("lost " + std::to_string(request.number)); }
  void power_cut() override { events.emplace_back("cut"); }
  std::vector<std::string> events;
};

}  // namespace

TEST_CASE("a power cut: lost requests are issued again in order, with the outage accounted, arrivals wait") {
  auto source = ListSource::at_ms({0, 1, 20});
  Bench bench(source, {ReplayPolicy::parse("timed"), 32, 0}, 10_ms);
  CountingChecker checker;
  bench.player.set_checker(checker);
  bench.player.start();
  bench.timeline.run_until(5_ms);
  bench.timeline.advance_to(5_ms);
  bench.drive.cut();
  bench.player.power_lost();
  bench.timeline.run_until(100_ms);  // the third request arrives meanwhile
  bench.timeline.advance_to(100_ms);
  CHECK(bench.drive.issued.size() == 2);
  bench.player.power_restored();
  bench.timeline.run();

  const auto& r = bench.recorder;
  CHECK(bench.drive.issued == std::vector<std::uint64_t>{0, 1, 0, 1, 2});
  CHECK(r.ends == std::vector<Picoseconds>{110_ms, 120_ms, 130_ms});
  CHECK(r.part(0, LifePhase::outage) == 100_ms);
  CHECK(r.part(1, LifePhase::outage) == 99_ms);
  CHECK(r.part(2, LifePhase::host_queue) == 80_ms);
  CHECK(r.lives[1].issue == 1_ms);  // the first time
  CHECK(r.sums_hold);
  CHECK(checker.events == std::vector<std::string>{"issued 0", "issued 1", "lost 0", "lost 1", "cut", "issued 0", "issued 1", "issued 2",
                                                   "completed 0", "completed 1", "completed 2"});
}

TEST_CASE("a power cut while the host gives commands up: what it had back is not lost, and all are sent again in order") {
  auto source = ListSource::at_ms({0, 1, 2, 5});
  PlayerConfig config{ReplayPolicy::parse("timed"), 32, 0};
  config.errors = {6_ms, 100_ms, 1_ms, 5};
  Bench bench(source, config, 4_ms);
  CountingChecker checker;
  bench.player.set_checker(checker);
  bench.player.start();
  bench.timeline.run_until(10_ms);  // the second was aborted and came back at 8 ms
  bench.timeline.advance_to(10_ms);
  bench.drive.cut();
  bench.player.power_lost();
  bench.timeline.advance_to(20_ms);
  bench.player.power_restored();
  bench.timeline.run();
  CHECK(checker.events == std::vector<std::string>{"issued 0", "issued 1", "issued 2", "completed 0", "issued 3", "completed 1", "lost 3",
                                                   "lost 2", "cut", "issued 1", "issued 2", "issued 3", "completed 1", "completed 2",
                                                   "completed 3", "issued 2", "completed 2", "issued 3", "completed 3"});
  CHECK(bench.recorder.ends == std::vector<Picoseconds>{4_ms, 24_ms, 37_ms, 42_ms});
  CHECK(bench.recorder.sums_hold);
}

TEST_CASE("what the drive had accounted for beyond a cut did not happen, also where the power is back before it") {
  auto source = ListSource::at_ms({0});
  Bench bench(source, {ReplayPolicy::parse("closed:1"), 1, 0}, 10_ms);
  bench.player.start();
  bench.timeline.advance_to(5_ms);
  RequestLife& life = bench.drive.in_hand().life;
  life.account(LifePhase::link, 2_ms);
  life.account(LifePhase::dram, 6_ms);  // the firmware is ahead
  life.account(LifePhase::cpu, 1_s);
  bench.drive.cut();
  bench.player.power_lost();
  CHECK(life.mark == 5_ms);
  bench.timeline.advance_to(7_ms);
  bench.player.power_restored();
  bench.timeline.run();
  CHECK(bench.recorder.part(0, LifePhase::link) == 2_ms);
  CHECK(bench.recorder.part(0, LifePhase::dram) == 3_ms);
  CHECK(bench.recorder.part(0, LifePhase::cpu) == 0_ms);
  CHECK(bench.recorder.part(0, LifePhase::outage) == 2_ms);
  CHECK(bench.recorder.sums_hold);
}

TEST_CASE("a second cut before anything completed loses the same requests again") {
  auto source = ListSource::at_ms({0});
  Bench bench(source, {ReplayPolicy::parse("closed:1"), 1, 0}, 10_ms);
  bench.player.start();
  for (const Picoseconds at : {5_ms, 12_ms}) {
    bench.timeline.advance_to(at);
    bench.drive.cut();
    bench.player.power_lost();
    bench.timeline.advance_to(at + 1_ms);
    bench.player.power_restored();
  }
  bench.timeline.run();
  CHECK(bench.recorder.ends == std::vector<Picoseconds>{23_ms});
  CHECK(bench.recorder.sums_hold);
  CHECK(bench.recorder.ended_at.size() == 1);
}

TEST_CASE("the bounded queue fills up during an outage, and dilates") {
  auto source = ListSource::at_ms({0, 10, 20, 30});
  Bench bench(source, {ReplayPolicy::parse("queue:2"), 2, 0}, 1_ms);
  bench.player.start();
  bench.timeline.run_until(5_ms);
  bench.timeline.advance_to(5_ms);
  bench.player.power_lost();
  bench.timeline.run_until(100_ms);
  bench.timeline.advance_to(100_ms);
  bench.player.power_restored();
  bench.timeline.run();
  // 1 and 2 arrive at 10 and 20 ms into the queue of two; 3 arrives with the first completion, at 101 ms.
  CHECK(bench.recorder.lives[2].arrival == 20_ms);
  CHECK(bench.recorder.lives[3].arrival == 101_ms);
  CHECK(bench.recorder.ends.back() == 103_ms);
}
