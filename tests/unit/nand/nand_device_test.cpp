#include <catch2/catch.hpp>

#include "base/error.hpp"
#include "nand_bench.hpp"

using namespace tessera;
using namespace tessera::literals;
using namespace tessera::test;

TEST_CASE("consecutive blocks go to consecutive channels, then dies, then planes") {
  const NandConfig config = shaped(2, 2, 2);
  std::vector<NandPlace> places;
  for (std::uint64_t block = 0; block < 9; ++block) places.push_back(place_of(NandBlock(block), config));
  CHECK(places ==
        std::vector<NandPlace>{{0, 0, 0}, {1, 1, 0}, {0, 2, 0}, {1, 3, 0}, {0, 0, 1}, {1, 1, 1}, {0, 2, 1}, {1, 3, 1}, {0, 0, 0}});
}

TEST_CASE("log and dump blocks lie behind the layer's blocks and are not counted") {
  Bench bench(shaped(1, 1, 1));
  CHECK(bench.device.shape().blocks == 64);
  CHECK(bench.device.shape().pages_per_block == 32);
  CHECK(bench.device.shape().oob_bytes == 512);
  CHECK(bench.device.config().first_log_block() == NandBlock(64));
  CHECK(bench.device.config().first_dump_block() == NandBlock(72));
  CHECK(bench.device.array().blocks() == 64 + 8 + 128);
  bench.submit(FlashOp::erase, 199, 0_ms);
  CHECK_THROWS_AS(bench.submit(FlashOp::erase, 200, 0_ms), ModelBug);
}

TEST_CASE("without bus time an operation takes its array time and one entry of the timeline") {
  Bench bench(shaped(1, 1, 1));
  bench.submit(FlashOp::program, 0, 0_ms);
  bench.timeline.run();
  bench.submit(FlashOp::read, 0, 10_ms);
  bench.timeline.run();
  CHECK(bench.results[0] == Done{1300_us, 1300_us, Status::ok});
  CHECK(bench.results[1] == Done{10_ms + 200_us, 200_us, Status::ok});
  const std::uint64_t actions = bench.timeline.actions();
  bench.submit(FlashOp::read_oob, 0, bench.timeline.now());
  bench.submit(FlashOp::erase, 0, bench.timeline.now());
  bench.timeline.run();
  CHECK(bench.results[2] == Done{10_ms + 400_us, 200_us, Status::ok});
  CHECK(bench.results[3] == Done{10_ms + 1900_us, 1500_us, Status::ok});
  CHECK(bench.timeline.actions() == actions + 2);
}

TEST_CASE("a sub-table read and a program take 1.5 ms on one die, as the concentrated-mapping paper counts a write") {
  Bench bench(shaped(1, 1, 1));
  bench.submit(FlashOp::program, 0, 0_ms);
  bench.timeline.run();
  bench.on_done = [&bench](std::size_t number) {
    if (number == 1) bench.submit(FlashOp::program, 1, bench.timeline.now());
  };
  bench.submit(FlashOp::read_oob, 0, 5_ms);
  bench.timeline.run();
  CHECK(bench.results[2].at == 5_ms + 1500_us);
}

TEST_CASE("sixteen programs of one die take sixteen program times") {
  Bench bench(shaped(1, 1, 1));
  for (std::uint64_t page = 0; page < 16; ++page) bench.submit(FlashOp::program, page, 0_ms);
  bench.timeline.run();
  CHECK(bench.timeline.now() == 20'800_us);
}

TEST_CASE("dies work side by side, also on one channel") {
  Bench bench(shaped(1, 4, 1));
  for (std::uint64_t block = 0; block < 4; ++block) bench.submit(FlashOp::program, block * 32, 0_ms);
  bench.submit(FlashOp::erase, 4, 0_ms);  // behind block 0 on its die
  bench.timeline.run();
  for (std::size_t i = 0; i < 4; ++i) CHECK(bench.results[i].at == 1300_us);
  CHECK(bench.results[4] == Done{2800_us, 1500_us, Status::ok});
}

TEST_CASE("planes of a die run commands of one kind together when they come at one time") {
  Bench bench(shaped(1, 1, 2));
  bench.submit(FlashOp::erase, 0, 0_ms);
  bench.submit(FlashOp::erase, 1, 0_ms);
  bench.timeline.run();
  CHECK(bench.results[0].at == 1500_us);
  CHECK(bench.results[1].at == 1500_us);
}

TEST_CASE("a command that comes after the array began waits for the die, one at that very instant does not") {
  for (const bool late : {false, true}) {
    Bench bench(shaped(1, 1, 2));
    bench.submit(FlashOp::erase, 0, 1_ms);
    bench.submit(FlashOp::erase, 1, late ? 1_ms + 1_ps : 1_ms);
    bench.timeline.run();
    CHECK(bench.results[0].at == 2500_us);
    CHECK(bench.results[1].at == (late ? 4000_us : 2500_us));
  }
}

TEST_CASE("planes of a die do not run commands of different kinds together") {
  Bench bench(shaped(1, 1, 2));
  bench.submit(FlashOp::erase, 0, 0_ms);
  bench.submit(FlashOp::program, 32, 0_ms);
  bench.timeline.run();
  CHECK(bench.results[0].at == 1500_us);
  CHECK(bench.results[1].at == 2800_us);
}

TEST_CASE("a die goes on with the kind of its oldest command and takes along what is of that kind") {
  Bench bench(shaped(1, 1, 4));
  bench.submit(FlashOp::erase, 0, 0_ms);
  bench.submit(FlashOp::program, 1 * 32, 1_us);
  bench.submit(FlashOp::read, 2 * 32, 2_us);
  bench.submit(FlashOp::program, 3 * 32, 3_us);
  bench.timeline.run();
  CHECK(bench.results[1].at == 1500_us + 1300_us);
  CHECK(bench.results[3].at == 1500_us + 1300_us);
  CHECK(bench.results[2].at == 1500_us + 1300_us + 200_us);
}

TEST_CASE("commands of one plane keep their order") {
  Bench bench(shaped(2, 2, 2));
  for (std::uint64_t i = 0; i < 64; ++i) bench.submit(FlashOp::program, i % 8 * 32 + i / 8, Picoseconds(i));
  bench.timeline.run();
  std::map<std::size_t, std::size_t> last;
  for (const std::size_t number : bench.order) {
    CHECK(bench.results[number].status == Status::ok);  // pages of a block came in order
    if (last.contains(number % 8)) CHECK(last[number % 8] < number);
    last[number % 8] = number;
  }
  CHECK(bench.order.size() == 64);
}

TEST_CASE("a program is transferred before the array works, a read after it, an out-of-band read moves its bytes only") {
  Bench bench(with_bus(shaped(1, 1, 1)));
  bench.submit(FlashOp::program, 0, 0_ms);
  bench.timeline.run();
  bench.submit(FlashOp::read, 0, 10_ms);
  bench.timeline.run();
  bench.submit(FlashOp::read_oob, 0, 20_ms);
  bench.timeline.run();
  bench.submit(FlashOp::erase, 0, 30_ms);
  bench.timeline.run();
  CHECK(bench.results[0] == Done{1400_us, 1400_us, Status::ok});
  CHECK(bench.results[1] == Done{10_ms + 300_us, 300_us, Status::ok});
  CHECK(bench.results[2] == Done{20_ms + 200_us + 11'111'111_ps, 200_us + 11'111'111_ps, Status::ok});
  CHECK(bench.results[3] == Done{31'500_us, 1500_us, Status::ok});
}

TEST_CASE("a channel carries one transfer at a time, in order of request, and dies of other channels do not wait") {
  Bench bench(with_bus(shaped(2, 2, 1)));
  for (std::uint64_t block = 0; block < 4; ++block) bench.submit(FlashOp::program, block * 32, 0_ms);
  bench.timeline.run();
  CHECK(bench.results[0].at == 1400_us);  // channel 0
  CHECK(bench.results[1].at == 1400_us);  // channel 1
  CHECK(bench.results[2].at == 1500_us);  // channel 0, behind block 0
  CHECK(bench.results[3].at == 1500_us);
  CHECK(bench.results[2].busy == 1400_us);  // the bus wait is queueing
}

TEST_CASE("the bus is granted in order of time, not in order of submission") {
  Bench bench(with_bus(shaped(1, 2, 1)));
  bench.submit(FlashOp::read, 0, 0_ms);  // wants the bus at 200 us
  bench.submit(FlashOp::program, 32,
               150_us);  // wants it at 150 us: a page until 250 us
  bench.timeline.run();
  CHECK(bench.results[1].at == 1550_us);
  CHECK(bench.results[0].at == 350_us);
}

TEST_CASE("planes that program together load one after another and begin when the last is loaded") {
  Bench bench(with_bus(shaped(1, 1, 2)));
  bench.submit(FlashOp::program, 0, 0_ms);
  bench.submit(FlashOp::program, 32, 50_us);  // joins while the first is loading
  bench.timeline.run();
  CHECK(bench.results[0].at == 1500_us);
  CHECK(bench.results[1].at == 1500_us);
}

TEST_CASE("a program joins a group that loads up to the last instant, then waits") {
  for (const bool late : {false, true}) {
    Bench bench(with_bus(shaped(1, 1, 2)));
    bench.submit(FlashOp::program, 0, 0_ms);
    bench.submit(FlashOp::program, 32, late ? 100_us : 100_us - 1_ps);
    bench.timeline.run();
    CHECK(bench.results[0].at == (late ? 1400_us : 1500_us));
    CHECK(bench.results[1].at == (late ? 1400_us + 1400_us : 1500_us));
  }
}

TEST_CASE("a die is free when the last plane of a read has been transferred") {
  Bench bench(with_bus(shaped(1, 1, 2)));
  bench.submit(FlashOp::read, 0, 0_ms);
  bench.submit(FlashOp::read, 32, 0_ms);
  bench.submit(FlashOp::erase, 2, 0_ms);
  bench.timeline.run();
  CHECK(bench.results[0].at == 300_us);
  CHECK(bench.results[1].at == 400_us);
  CHECK(bench.results[2].at == 1900_us);
}

TEST_CASE("a command submitted ahead of local time arrives when it says") {
  Bench bench(shaped(1, 1, 1));
  bench.submit(FlashOp::erase, 0, 2_ms);
  bench.submit(FlashOp::erase, 1, 1_ms);
  bench.timeline.run();
  CHECK(bench.results[1].at == 2500_us);
  CHECK(bench.results[0].at == 4000_us);
  CHECK_THROWS_AS(bench.submit(FlashOp::erase, 0, 3999_us), ModelBug);
}

TEST_CASE("counters, utilisation, energy and lifetime follow from what was done") {
  NandConfig config = with_bus(shaped(1, 2, 1));
  config.endurance = 10;
  Bench bench(config);
  bench.submit(FlashOp::program, 0, 0_ms);
  bench.submit(FlashOp::program, 0, 0_ms);  // refused
  bench.submit(FlashOp::erase, 2, 0_ms);
  bench.submit(FlashOp::erase, 2, 0_ms);
  bench.timeline.run();
  CHECK(bench.results[1].status == Status::rule_violation);
  const Picoseconds now = bench.timeline.now();
  CHECK(now == 2 * 1400_us + 2 * 1500_us);
  MetricSet metrics;
  bench.device.report(metrics, now);
  const auto value = [&metrics](const char* name) { return metrics.find(name)->value; };
  CHECK(value("nand.programs") == 2);
  CHECK(value("nand.rule_violations") == 1);
  CHECK(value("nand.erases") == 2);
  CHECK(value("nand.wear.max") == 2);
  CHECK(value("nand.wear.used") == Approx(0.2));
  CHECK(value("nand.lifetime.worst_block") == Approx(5));
  CHECK(value("nand.lifetime.levelled") == Approx(10.0 * 200 / 2));
  CHECK(value("nand.die.0.utilisation") == Approx(1));
  CHECK(value("nand.die.1.utilisation") == Approx(0));
  CHECK(value("nand.channel.0.utilisation") == Approx(200.0 / 5800));
  CHECK(value("nand.transferred") == 2 * 4608);
  // 49.5 mW for 1.3 ms are 64.35 uJ, for 1.5 ms 74.25 uJ; 40 pJ a byte; two dies of 33 uW for 5.8 ms.
  CHECK(bench.device.energy(now) == static_cast<double>(2 * 64'350'000 + 2 * 74'250'000 + 40 * 9216 + 2 * 191'400));
}

TEST_CASE("figures of nothing are undefined, never zero") {
  Bench bench(shaped(1, 1, 1));
  MetricSet metrics;
  bench.device.report(metrics, 0_ms);
  CHECK_FALSE(metrics.find("nand.lifetime.worst_block")->value.has_value());
  CHECK_FALSE(metrics.find("nand.die.0.utilisation")->value.has_value());
  CHECK(metrics.find("nand.erases")->value == 0);
}

TEST_CASE("an observer sees the states of dies and channels in order of time") {
  struct Observer final : NandObserver {
    void die_changed(std::uint32_t, DieState state, Picoseconds now) override { states.emplace_back(state, now); }
    void channel_changed(std::uint32_t, bool busy, Picoseconds now) override { channel.emplace_back(busy, now); }
    std::vector<std::pair<DieState, Picoseconds>> states;
    std::vector<std::pair<bool, Picoseconds>> channel;
  } observer;
  Bench bench(with_bus(shaped(1, 1, 1)));
  bench.device.observe(&observer);
  bench.submit(FlashOp::program, 0, 0_ms);
  bench.submit(FlashOp::read, 0, 0_ms);
  bench.timeline.run();
  using enum DieState;
  CHECK(observer.states == std::vector<std::pair<DieState, Picoseconds>>{
                               {loading, 0_us}, {programming, 100_us}, {reading, 1400_us}, {unloading, 1600_us}, {idle, 1700_us}});
  CHECK(observer.channel == std::vector<std::pair<bool, Picoseconds>>{{true, 0_us}, {false, 100_us}, {true, 1600_us}, {false, 1700_us}});
}
