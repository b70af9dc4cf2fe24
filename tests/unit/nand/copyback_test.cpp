// Pages that move inside their plane, past channel and error correction.
#include <array>
#include <catch2/catch.hpp>

#include "nand_bench.hpp"

using namespace tessera;
using namespace tessera::literals;
using namespace tessera::test;

namespace {

/// Two dies on one channel, two planes each: block b lies on die b % 2, plane b / 2 % 2. Command cycles take 10 us, an out-of-band area of
/// 512 B 10 us, a page with it 90 us.
NandConfig moving() {
  NandConfig config = shaped(1, 2, 2);
  config.copyback = true;
  config.command_time = 10_us;
  config.bus_rate = BytesPerSecond(51'200'000);
  return config;
}

constexpr std::uint64_t page_of(std::uint64_t block, std::uint64_t page = 0) { return block * 32 + page; }

std::size_t move(Bench& bench, std::uint64_t from, std::uint64_t to, Picoseconds now, std::span<std::byte> oob = {}) {
  FlashCommand& command = bench.commands.emplace_back();
  command.op = FlashOp::copyback;
  command.from = NandPage(from);
  command.page = NandPage(to);
  command.oob = oob;
  bench.numbers[&command] = bench.commands.size() - 1;
  bench.device.submit(command, now);
  return bench.commands.size() - 1;
}

double metric(const Bench& bench, const char* name) {
  MetricSet metrics;
  bench.device.report(metrics, bench.timeline.now());
  return metrics.find(name)->value.value();
}

}  // namespace

// By copyback: the cycles of two commands, read, program, 20 + 200 + 1300 us, and 10 us for new out-of-band bytes. Through the controller:
// 10 + 200 + 90 us, then 10 + 90 + 1300 us.
TEST_CASE("a copyback takes command cycles, a read and a program, and the channel only for the cycles and new out-of-band bytes") {
  for (const bool with_oob : {false, true}) {
    Bench bench(moving());
    std::array<std::byte, 512> oob{};
    bench.submit(FlashOp::program, page_of(0), 0_us);
    const std::size_t moved = move(bench, page_of(0), page_of(4), 10_ms, with_oob ? std::span<std::byte>(oob) : std::span<std::byte>());
    const std::size_t other = bench.submit(FlashOp::program, page_of(1), 10_ms);  // another die
    bench.timeline.run_until(20_ms);
    const Picoseconds cycles = with_oob ? 30_us : 20_us;
    CHECK(bench.results[moved] == Done{10_ms + cycles + 1500_us, cycles + 1500_us, Status::ok});
    CHECK(bench.results[other].at == 10_ms + cycles + 100_us + 1300_us);  // the channel is free again behind the cycles
    CHECK(metric(bench, "nand.copybacks") == 1);
    CHECK(metric(bench, "nand.programs") == 3);
    CHECK(metric(bench, "nand.reads") == 0);
    CHECK(metric(bench, "nand.transferred") == 2 * 4608 + (with_oob ? 512 : 0));
    // 49.5 mW: 0.2 ms of read, three programs of 1.3 ms.
    CHECK(metric(bench, "nand.energy.read") == Approx(0.0495 * 0.2));
    CHECK(metric(bench, "nand.energy.program") == Approx(0.0495 * 3 * 1.3));
  }
}

TEST_CASE("copybacks of two planes work together, and no group takes copybacks and programs") {
  Bench bench(moving());
  for (const std::uint64_t block : {0U, 2U}) bench.submit(FlashOp::program, page_of(block), 0_us);
  const std::size_t first = move(bench, page_of(0), page_of(4), 10_ms);
  const std::size_t second = move(bench, page_of(2), page_of(6), 10_ms);
  bench.timeline.run_until(20_ms);
  CHECK(bench.results[first].at == 10_ms + 40_us + 1500_us);
  CHECK(bench.results[second].at == 10_ms + 40_us + 1500_us);

  const std::size_t moved = move(bench, page_of(0), page_of(8), 20_ms);
  const std::size_t programmed = bench.submit(FlashOp::program, page_of(10), 20_ms);
  bench.timeline.run_until(40_ms);
  CHECK(bench.results[moved].at == 20_ms + 1520_us);
  CHECK(bench.results[programmed].at == 20_ms + 1520_us + 1400_us);
}

TEST_CASE("a page moves inside its plane only, and only between pages that exist") {
  const NandConfig config = moving();
  CHECK(same_plane(NandPage(page_of(0)), NandPage(page_of(4)), config));
  CHECK_FALSE(same_plane(NandPage(page_of(0)), NandPage(page_of(1)), config));  // another die
  CHECK_FALSE(same_plane(NandPage(page_of(0)), NandPage(page_of(2)), config));  // another plane
  const std::uint64_t last = config.total_blocks() - 4;
  CHECK(same_plane(NandPage(page_of(last)), NandPage(page_of(0)), config));
  CHECK_FALSE(same_plane(NandPage(page_of(last + 4)), NandPage(page_of(0)), config));
}

TEST_CASE("a cut while a copyback reads leaves no trace, one while it programs tears its target alone") {
  for (const bool reads : {true, false}) {
    Bench bench(moving());
    bench.submit(FlashOp::program, page_of(0), 0_us);
    move(bench, page_of(0), page_of(4), 10_ms);
    const Picoseconds cut = 10_ms + 20_us + 200_us - (reads ? 1_ps : 0_ps);
    bench.timeline.run_until(cut);
    bench.device.cut(cut);
    CHECK(bench.device.array().programmed(NandBlock(4)) == (reads ? 0 : 1));
    CHECK(bench.device.array().read(NandPage(page_of(4)), {}, {}) == (reads ? Status::blank : Status::media_error));
    CHECK(bench.device.array().read(NandPage(page_of(0)), {}, {}) == Status::ok);
  }
}

// --- The array ---

namespace {

constexpr std::uint32_t kept = 8;
using Content = std::array<std::byte, kept>;
using Oob = std::array<std::byte, 16>;

template <class Bytes>
Bytes filled(int value) {
  Bytes bytes;
  bytes.fill(std::byte(value));
  return bytes;
}

NandConfig small(std::uint32_t subpages = 1) {
  NandConfig config;
  config.blocks = 4;
  config.log_blocks = config.dump_blocks = 0;
  config.pages_per_block = 4;
  config.oob_size = Bytes(16 * subpages);
  config.page_size = Bytes(4096 * subpages);
  config.subpages = subpages;
  config.copyback = true;
  return config;
}

Status program(NandArray& array, std::uint64_t page, int value, bool lost = false) {
  return array.program(NandPage(page), filled<Content>(value), filled<Oob>(value + 1), lost);
}

struct Seen {
  Status status;
  Content content;
  Oob oob;
};

Seen read(NandArray& array, Subpage part) {
  Seen seen{};
  seen.status = array.read(part, seen.content, seen.oob);
  return seen;
}

}  // namespace

TEST_CASE("a moved page has its content, and the out-of-band bytes that came with the copyback in front of its own") {
  NandArray array(small(), kept, 1);
  REQUIRE(program(array, 0, 7) == Status::ok);
  REQUIRE(array.copyback(NandPage(0), NandPage(4), {}) == Status::ok);
  CHECK(read(array, NandPage(4)).content == filled<Content>(7));
  CHECK(read(array, NandPage(4)).oob == filled<Oob>(8));
  const std::array<std::byte, 4> fresh{std::byte(1), std::byte(2), std::byte(3), std::byte(4)};
  array.replace_oob(NandPage(4), fresh);
  Oob mixed = filled<Oob>(8);
  std::ranges::copy(fresh, mixed.begin());
  CHECK(read(array, NandPage(4)).oob == mixed);
  CHECK(read(array, NandPage(0)).oob == filled<Oob>(8));
  REQUIRE(array.copyback(NandPage(0), NandPage(1), {}) == Status::ok);  // in its own block, too
  CHECK(read(array, NandPage(1)).content == filled<Content>(7));
}

TEST_CASE("a copyback keeps the rules of programs, and moves nothing that was not programmed") {
  NandArray array(small(), kept, 1);
  REQUIRE(program(array, 0, 7) == Status::ok);
  CHECK(array.copyback(NandPage(1), NandPage(4), {}) == Status::rule_violation);
  CHECK(array.copyback(NandPage(0), NandPage(5), {}) == Status::rule_violation);
  CHECK(array.programmed(NandBlock(1)) == 0);
  CHECK(array.copyback(NandPage(0), NandPage(4), {}) == Status::ok);
  CHECK(array.copyback(NandPage(0), NandPage(4), {}) == Status::rule_violation);

  NandConfig failing = small();
  failing.program_failures = {{1, 1}};
  NandArray bad(failing, kept, 1);
  REQUIRE(program(bad, 0, 7) == Status::ok);
  CHECK(bad.copyback(NandPage(0), NandPage(4), {}) == Status::program_failed);
  CHECK(bad.is_bad(NandBlock(1)));
  CHECK(read(bad, NandPage(4)).status == Status::media_error);
  CHECK(read(bad, NandPage(0)).status == Status::ok);
}

TEST_CASE("what cannot be read of a page, is lost or is padding stays so where it is moved to, until the block is erased") {
  NandArray array(small(2), kept, 1);
  REQUIRE(program(array, 0, 7, true) == Status::ok);  // its second half is padding
  array.tear_program(NandPage(1));
  REQUIRE(array.copyback(NandPage(0), NandPage(4), {}) == Status::ok);
  REQUIRE(array.copyback(NandPage(1), NandPage(5), {}) == Status::ok);
  CHECK(read(array, NandPage(4)).status == Status::lost);
  CHECK(read(array, {NandPage(4), 1}).status == Status::blank);
  CHECK(read(array, NandPage(5)).status == Status::media_error);
  REQUIRE(array.erase(NandBlock(1)) == Status::ok);
  REQUIRE(program(array, 4, 3) == Status::ok);
  CHECK(read(array, NandPage(4)).status == Status::ok);
}

// 1e6 in 1e9 bits are 4.096 of a codeword, at each place that the page was at.
TEST_CASE("wrong bits add up from copyback to copyback, and a program starts anew") {
  NandConfig config = small();
  config.ecc_bits = 40;
  config.bit_errors_fresh = 1'000'000;
  config.read_retries = 1;
  config.read_retry_leaves = 50;
  NandArray array(config, kept, 1);
  const auto wrong = [&array](std::uint64_t page, std::uint32_t retry = 0) {
    return static_cast<double>(array.wrong_bits(NandPage(page), retry, {})) / 4294967296.0;
  };
  REQUIRE(program(array, 0, 7) == Status::ok);
  CHECK(wrong(0) == Approx(4.096));
  for (std::uint64_t move = 1; move <= 3; ++move) {
    REQUIRE(array.copyback(NandPage(4 * (move - 1)), NandPage(4 * move), {}) == Status::ok);
    CHECK(wrong(4 * move) == Approx(4.096 * static_cast<double>(move + 1)));
    CHECK(wrong(4 * move, 1) == Approx(4.096 * static_cast<double>(move) + 2.048));  // what was moved is in the cells
  }
  REQUIRE(array.erase(NandBlock(1)) == Status::ok);
  REQUIRE(program(array, 4, 7) == Status::ok);
  CHECK(wrong(4) == Approx(4.096));
}

TEST_CASE("error correction fails after so many copybacks as put more wrong bits in a codeword than it corrects") {
  NandConfig config = small();
  config.ecc_bits = 12;  // three places put 12.3 in a codeword
  config.bit_errors_fresh = 1'000'000;
  std::uint32_t failed_at_once = 0;
  std::uint32_t failed_moved = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    NandArray array(config, kept, seed);
    REQUIRE(program(array, 0, 7) == Status::ok);
    failed_at_once += read(array, NandPage(0)).status == Status::media_error;
    NandArray moved(config, kept, seed);
    REQUIRE(program(moved, 0, 7) == Status::ok);
    REQUIRE(moved.copyback(NandPage(0), NandPage(4), {}) == Status::ok);
    REQUIRE(moved.copyback(NandPage(4), NandPage(8), {}) == Status::ok);
    failed_moved += read(moved, NandPage(8)).status == Status::media_error;
  }
  CHECK(failed_at_once < 10);  // 8 codewords, each beyond 12 with 2.5e-4
  CHECK(failed_moved > 190);   // each with 0.46
}
