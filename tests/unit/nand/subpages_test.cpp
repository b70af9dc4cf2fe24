// Pages of several drive sectors: one operation for what several subpages take part in.
#include <array>
#include <catch2/catch.hpp>

#include "base/data_buffer.hpp"
#include "nand/nand_device.hpp"

using namespace tessera;
using namespace tessera::literals;

namespace {

constexpr SectorShape shape{4096, ContentMode::tags};

/// Four sectors of 4 KiB a page, each with 512 B of out-of-band area; at 46.08 MB/s a sector with that takes 0.1 ms.
NandConfig four_sectors() {
  NandConfig config;
  config.blocks = 4;
  config.page_size = Bytes(16384);
  config.oob_size = Bytes(2048);
  config.bus_rate = BytesPerSecond(46'080'000);
  return config.holding(Bytes(4096));
}

struct Bench final : NandClient {
  explicit Bench(const NandConfig& config) : device(config, shape.kept(), 1, timeline, *this) {
    for (std::uint32_t i = 0; i < 8; ++i) std::ranges::fill(buffer.content(i, 1), std::byte(i + 1));
  }
  void done(FlashCommand&, void*, Picoseconds length, Picoseconds now) override {
    at = now;
    busy = length;
  }
  /// One operation for these subpages of a page: sector i of the buffer is for the ith of them, and so is byte i of `oob`.
  void run(FlashOp op, std::uint64_t page, const std::vector<std::uint8_t>& subpages) {
    commands.assign(subpages.size(), FlashCommand{});
    for (std::size_t i = 0; i < subpages.size(); ++i) {
      commands[i].op = op;
      commands[i].page = NandPage(page);
      commands[i].subpage = subpages[i];
      if (op != FlashOp::read_oob) commands[i].data = buffer.part(static_cast<std::uint32_t>(i), 1);
      commands[i].oob = std::span(oob).subspan(i, 1);
      commands[i].led = i != 0;
      if (i != 0) commands[i - 1].next = &commands[i];
    }
    begin = timeline.now();
    device.submit(commands.front(), begin);
    timeline.run();
  }
  std::vector<Status> statuses() const {
    std::vector<Status> result;
    for (const FlashCommand& command : commands) result.push_back(command.status);
    return result;
  }
  double metric(const char* name) {
    MetricSet metrics;
    device.report(metrics, timeline.now());
    return *metrics.find(name)->value;
  }

  Timeline timeline;
  DataBuffer buffer{DramAddress(0), 8, shape};
  std::array<std::byte, 8> oob{};
  std::vector<FlashCommand> commands;
  Picoseconds begin, at, busy;
  NandDevice device;
};

using Statuses = std::vector<Status>;

}  // namespace

TEST_CASE("a page that is read in part takes its array time once and the transfers of what was asked for") {
  Bench bench(four_sectors());
  bench.run(FlashOp::program, 0, {0, 1, 2, 3});
  CHECK(bench.at - bench.begin == 400_us + 1300_us);
  bench.run(FlashOp::read, 0, {2});
  CHECK(bench.at - bench.begin == 200_us + 100_us);
  CHECK(bench.busy == 300_us);
  bench.run(FlashOp::read, 0, {0, 1, 3});
  CHECK(bench.at - bench.begin == 200_us + 300_us);
  bench.run(FlashOp::read_oob, 0, {0, 3});  // 2 x 512 B are 22.222 us
  CHECK(bench.at - bench.begin == 200_us + 22'222'222_ps);
  CHECK(bench.metric("nand.reads") == 2);
  CHECK(bench.metric("nand.oob_reads") == 1);
  CHECK(bench.metric("nand.transferred") == (4 + 1 + 3) * 4608 + 2 * 512);
}

TEST_CASE("what no sector fills of a page is padding: it is transferred, counted and blank") {
  Bench bench(four_sectors());
  bench.run(FlashOp::program, 0, {0, 1});
  CHECK(bench.at - bench.begin == 400_us + 1300_us);
  CHECK(bench.metric("nand.programs") == 1);
  CHECK(bench.metric("nand.padding") == 2);
  bench.run(FlashOp::read, 0, {0, 1, 2, 3});
  CHECK(bench.statuses() == Statuses{Status::ok, Status::ok, Status::blank, Status::blank});
  bench.run(FlashOp::program, 0, {2});
  CHECK(bench.statuses() == Statuses{Status::rule_violation});
}

TEST_CASE("each sector of a page has content, out-of-band bytes and a mark of its own") {
  Bench bench(four_sectors());
  for (std::size_t i = 0; i < 4; ++i) bench.oob[i] = std::byte(0x10 + i);
  bench.buffer.mark_lost(1);
  bench.run(FlashOp::program, 0, {0, 1, 2, 3});
  bench.buffer.clear_lost(0, 8);
  bench.run(FlashOp::read, 0, {3, 1, 0});
  CHECK(bench.statuses() == Statuses{Status::ok, Status::lost, Status::ok});
  CHECK(bench.buffer.content(0, 1).front() == std::byte{4});
  CHECK(bench.buffer.content(2, 1).front() == std::byte{1});
  CHECK_FALSE(bench.buffer.is_lost(0));
  CHECK(bench.buffer.is_lost(1));
  CHECK(std::to_integer<int>(bench.oob[0]) == 0x13);
  CHECK(std::to_integer<int>(bench.oob[1]) == 0x11);
  CHECK(std::to_integer<int>(bench.oob[2]) == 0x10);
}

TEST_CASE("a cut while a page is programmed takes all of its sectors, one while it is loaded leaves no trace") {
  for (const Picoseconds when : {400_us - 1_ps, 400_us}) {
    Bench bench(four_sectors());
    bench.commands.resize(1);
    bench.commands.front().op = FlashOp::program;
    bench.device.submit(bench.commands.front(), 0_ms);
    bench.timeline.run_until(when);
    bench.device.cut(when);
    for (std::uint32_t number = 0; number < 4; ++number)
      CHECK(bench.device.array().read({NandPage(0), number}, {}, {}) == (when < 400_us ? Status::blank : Status::media_error));
  }
}

TEST_CASE("a failed program and a failure on request take the whole page, wrong bits one sector of it") {
  NandConfig config = four_sectors();
  config.program_failures = {{0, 1}};
  config.read_failures = {{32, 1}};
  Bench bench(config);
  bench.run(FlashOp::program, 0, {0, 1});
  CHECK(bench.statuses() == Statuses{Status::program_failed, Status::program_failed});
  bench.run(FlashOp::program, 32, {0, 1, 2, 3});
  bench.run(FlashOp::read, 32, {1, 2});
  CHECK(bench.statuses() == Statuses{Status::media_error, Status::media_error});
  bench.run(FlashOp::read, 32, {1, 2});
  CHECK(bench.statuses() == Statuses{Status::ok, Status::ok});

  // 25 wrong bits in the 32,768 of a sector are 3.1 a codeword: with 8 that are put right each sector fails in 5 % of its reads, for good
  // as there is no read retry. After 40 reads of the page some of its four sectors have gone, one after the other.
  config = four_sectors();
  config.ecc_bits = 8;
  config.bit_errors_fresh = 760'000;
  Bench worn(config);
  worn.run(FlashOp::program, 0, {0, 1, 2, 3});
  bool some = false;
  for (int reads = 0; reads < 40; ++reads) {
    worn.run(FlashOp::read, 0, {0, 1, 2, 3});
    const auto gone = std::ranges::count(worn.statuses(), Status::media_error);
    some = some || (gone > 0 && gone < 4);
  }
  CHECK(some);
}
