// What a power cut leaves of operations in flight, at both ends of each phase.
#include <catch2/catch.hpp>
#include <deque>

#include "nand/nand_device.hpp"

using namespace tessera;
using namespace tessera::literals;

namespace {

struct Bench final : NandClient {
  explicit Bench(const NandConfig& config) : device(config, 0, 1, timeline, *this) {}
  void submit(FlashOp op, std::uint64_t address) {
    FlashCommand& command = commands.emplace_back();
    command.op = op;
    command.page = NandPage(address);
    command.block = NandBlock(address);
    device.submit(command, timeline.now());
  }
  void done(FlashCommand&, void*, Picoseconds, Picoseconds) override { ++completed; }
  void cut_at(Picoseconds now) {
    timeline.run_until(now);
    timeline.advance_to(now);
    device.cut(now);
  }
  Status read(std::uint64_t page) { return device.array().read(NandPage(page), {}, {}); }

  Timeline timeline;
  std::deque<FlashCommand> commands;
  int completed = 0;
  NandDevice device;
};

NandConfig two_planes() {
  NandConfig config;
  config.planes = 2;
  config.blocks = 8;
  return config;
}

}  // namespace

TEST_CASE("a program is torn by a cut before its end and complete at its end") {
  for (const Picoseconds cut : {0_us, 1_ps, 1300_us - 1_ps}) {
    Bench bench(two_planes());
    bench.submit(FlashOp::program, 0);
    bench.cut_at(cut);
    CHECK(bench.read(0) == Status::media_error);
    CHECK(bench.completed == 0);
  }
  Bench bench(two_planes());
  bench.submit(FlashOp::program, 0);
  bench.cut_at(1300_us);
  CHECK(bench.read(0) == Status::ok);
  CHECK(bench.completed == 1);
}

TEST_CASE("a cut while a program's data is still on the channel leaves the page blank") {
  NandConfig config = two_planes();
  config.bus_rate = BytesPerSecond(46'080'000);  // 0.1 ms a page
  for (const bool loading : {true, false}) {
    Bench bench(config);
    bench.submit(FlashOp::program, 0);
    bench.cut_at(loading ? 100_us - 1_ps : 100_us);
    CHECK(bench.read(0) == (loading ? Status::blank : Status::media_error));
  }
}

TEST_CASE("a cut tears every plane of a group, and commands that wait leave no trace") {
  Bench bench(two_planes());
  bench.submit(FlashOp::program, 0);
  bench.submit(FlashOp::program, 32);
  bench.submit(FlashOp::program, 1);  // waits behind page 0
  bench.cut_at(1_ms);
  CHECK(bench.read(0) == Status::media_error);
  CHECK(bench.read(32) == Status::media_error);
  CHECK(bench.read(1) == Status::blank);
  CHECK(bench.device.outstanding() == 0);
  bench.timeline.run();
  CHECK(bench.completed == 0);
}

TEST_CASE("an erase is torn by a cut before its end and complete at its end, a read leaves no trace") {
  for (const bool before : {true, false}) {
    Bench bench(two_planes());
    bench.submit(FlashOp::program, 0);
    bench.timeline.run();
    bench.submit(FlashOp::read, 0);
    bench.timeline.run_until(1400_us);
    bench.timeline.advance_to(1400_us);
    bench.device.cut(1400_us);
    CHECK(bench.read(0) == Status::ok);
    bench.submit(FlashOp::erase, 0);
    bench.cut_at(before ? 2900_us - 1_ps : 2900_us);
    CHECK(bench.read(0) == (before ? Status::media_error : Status::blank));
  }
}

TEST_CASE("a device works again after a cut, from the cut's time on") {
  Bench bench(two_planes());
  for (std::uint64_t page = 0; page < 8; ++page) bench.submit(FlashOp::program, page);
  bench.cut_at(2_ms);  // page 0 complete, page 1 torn
  bench.timeline.advance_to(1_s);
  bench.submit(FlashOp::program, 2);
  bench.timeline.run();
  CHECK(bench.timeline.now() == 1_s + 1300_us);
  CHECK(bench.read(2) == Status::ok);
  CHECK(bench.completed == 2);
}
