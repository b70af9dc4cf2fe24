// What newer flash does and the papers' does not: each switched on alone, with times by hand. A page is read in 200 us, programmed in 1300
// us and crosses the channel in 100 us; a block is erased in 1500 us.
#include <catch2/catch.hpp>

#include "nand_bench.hpp"

using namespace tessera;
using namespace tessera::literals;
using namespace tessera::test;

namespace {

/// First page of a block.
constexpr std::uint64_t page_of(std::uint64_t block) { return block * 32; }

double metric(const Bench& bench, const char* name, Picoseconds now = {}) {
  MetricSet metrics;
  bench.device.report(metrics, std::max(now, bench.timeline.now()));
  return *metrics.find(name)->value;
}

}  // namespace

TEST_CASE("command and address cycles take the channel before the array begins") {
  NandConfig config = with_bus(shaped(1, 1, 2));
  config.command_time = 1_us;
  Bench bench(config);
  bench.submit(FlashOp::program, page_of(0), 0_ms);
  bench.timeline.run();
  bench.submit(FlashOp::read, page_of(0), 10_ms);
  bench.timeline.run();
  bench.submit(FlashOp::erase, 0, 20_ms);
  bench.timeline.run();
  CHECK(bench.results[0] == Done{1401_us, 1401_us, Status::ok});
  CHECK(bench.results[1] == Done{10_ms + 301_us, 301_us, Status::ok});
  CHECK(bench.results[2] == Done{20_ms + 1501_us, 1501_us, Status::ok});
  // Two planes: commands until 2 us, the array until 202 us, the two transfers one after the other.
  bench.submit(FlashOp::read, page_of(0), 30_ms);
  bench.submit(FlashOp::read, page_of(1), 30_ms);
  bench.timeline.run();
  CHECK(bench.results[3].at == 30_ms + 302_us);
  CHECK(bench.results[4].at == 30_ms + 402_us);
}

TEST_CASE("cache read: the array reads on while data leaves the cache register") {
  NandConfig config = with_bus(shaped(1, 1, 1));
  config.cache_read = true;
  Bench bench(config);
  for (std::uint64_t page = 0; page < 3; ++page) bench.submit(FlashOp::read, page, 0_ms);
  bench.timeline.run();
  CHECK(bench.results[0].at == 300_us);
  CHECK(bench.results[1].at == 500_us);  // array from 200 to 400
  CHECK(bench.results[2].at == 700_us);
  CHECK(bench.results[2].busy == 300_us);
}

TEST_CASE("cache read: the array waits for the cache register where the channel is the slower") {
  NandConfig config = with_bus(shaped(1, 1, 1));
  config.bus_rate = BytesPerSecond(11'520'000);  // 400 us a page
  config.cache_read = true;
  Bench bench(config);
  for (std::uint64_t page = 0; page < 3; ++page) bench.submit(FlashOp::read, page, 0_ms);
  bench.timeline.run();
  CHECK(bench.results[0].at == 600_us);
  CHECK(bench.results[1].at == 1000_us);  // read by 400, in the cache register from 600
  CHECK(bench.results[2].at == 1400_us);  // read from 600 to 800
}

TEST_CASE("cache read: a page asks for the channel when it is in the cache register, not before") {
  // Die 0 as above. Die 1 wants the channel at 800 us, the third page of die 0 at 1000 us, when the second has left.
  NandConfig config = with_bus(shaped(1, 2, 1));
  config.bus_rate = BytesPerSecond(11'520'000);
  config.cache_read = true;
  Bench bench(config);
  for (std::uint64_t page = 0; page < 3; ++page) bench.submit(FlashOp::read, page, 0_ms);
  bench.submit(FlashOp::read, page_of(1), 600_us);
  bench.timeline.run();
  CHECK(bench.results[3].at == 1400_us);
  CHECK(bench.results[2].at == 1800_us);
}

TEST_CASE("cache read: an older command of another kind keeps its turn") {
  NandConfig config = with_bus(shaped(1, 1, 2));
  config.cache_read = true;
  Bench bench(config);
  bench.submit(FlashOp::read, page_of(0), 0_us);
  bench.submit(FlashOp::program, page_of(1), 10_us);
  bench.submit(FlashOp::read, page_of(0), 20_us);
  bench.timeline.run();
  CHECK(bench.results[0].at == 300_us);
  CHECK(bench.results[1].at == 300_us + 1400_us);
  CHECK(bench.results[2].at == 1700_us + 300_us);
}

TEST_CASE("cache program: data is loaded while the array programs the page before") {
  NandConfig config = with_bus(shaped(1, 1, 1));
  config.cache_program = true;
  Bench bench(config);
  for (std::uint64_t page = 0; page < 3; ++page) bench.submit(FlashOp::program, page, 0_ms);
  bench.timeline.run();
  CHECK(bench.results[0].at == 1400_us);
  CHECK(bench.results[1].at == 2700_us);
  CHECK(bench.results[2].at == 4000_us);
  CHECK(metric(bench, "nand.loaded_ahead") == 2);
}

TEST_CASE("cache program: a program that comes meanwhile is loaded at once, behind an older command of another kind it is not") {
  for (const bool older : {false, true}) {
    NandConfig config = with_bus(shaped(1, 1, 2));
    config.cache_program = true;
    Bench bench(config);
    bench.submit(FlashOp::program, page_of(0), 0_us);
    if (older) bench.submit(FlashOp::read, page_of(1), 200_us);
    const std::size_t second = bench.submit(FlashOp::program, page_of(2), 300_us);
    bench.timeline.run();
    // Loaded by 400 us, begun at 1400; or begun to be loaded behind the read, at 1700.
    CHECK(bench.results[second].at == (older ? 1700_us + 1400_us : 2700_us));
  }
}

TEST_CASE("cache program: a cut tears the page in the array and leaves the one in the cache register blank") {
  NandConfig config = with_bus(shaped(1, 1, 1));
  config.cache_program = true;
  Bench bench(config);
  bench.submit(FlashOp::program, 0, 0_ms);
  bench.submit(FlashOp::program, 1, 0_ms);
  bench.timeline.run_until(500_us);
  bench.device.cut(500_us);
  CHECK(bench.device.array().read(NandPage(0), {}, {}) == Status::media_error);
  CHECK(bench.device.array().read(NandPage(1), {}, {}) == Status::blank);
  CHECK(metric(bench, "nand.torn", 500_us) == 1);
}

TEST_CASE("independent reads: a plane reads by itself") {
  NandConfig config = shaped(1, 1, 2);
  config.independent_reads = true;
  Bench bench(config);
  bench.submit(FlashOp::read, page_of(0), 0_us);
  bench.submit(FlashOp::read, page_of(1), 50_us);
  bench.timeline.run();
  CHECK(bench.results[0].at == 200_us);
  CHECK(bench.results[1].at == 250_us);
}

TEST_CASE("independent reads: a program that is older than the next read of another plane keeps its turn") {
  // Planes 0 and 2 read until 200 and 205 us. The program came before the second read of plane 0.
  NandConfig config = shaped(1, 1, 3);
  config.independent_reads = true;
  Bench bench(config);
  bench.submit(FlashOp::read, page_of(0), 0_us);
  bench.submit(FlashOp::read, page_of(2), 5_us);
  bench.submit(FlashOp::program, page_of(1), 10_us);
  bench.submit(FlashOp::read, page_of(3), 20_us);
  bench.timeline.run();
  CHECK(bench.results[1].at == 205_us);
  CHECK(bench.results[2].at == 205_us + 1300_us);
  CHECK(bench.results[3].at == 1505_us + 200_us);
}

TEST_CASE("read priority: a read goes in front of waiting programs, but for those of its own block") {
  for (const bool priority : {false, true}) {
    NandConfig config = shaped(1, 1, 1);
    config.read_priority = priority;
    Bench bench(config);
    bench.submit(FlashOp::program, page_of(0), 0_us);
    bench.submit(FlashOp::program, page_of(1), 0_us);
    bench.submit(FlashOp::read, page_of(2), 10_us);
    bench.submit(FlashOp::read, page_of(1),
                 20_us);  // sees what is programmed there
    bench.timeline.run();
    CHECK(bench.results[2].at == (priority ? 1500_us : 2800_us));
    CHECK(bench.results[1].at == (priority ? 2800_us : 2600_us));
    CHECK(bench.results[3] == Done{3000_us, 200_us, Status::ok});
  }
}

TEST_CASE("suspend: an erase stops for a read and goes on where it was") {
  NandConfig config = shaped(1, 1, 1);
  config.suspend = true;
  config.program_suspend_time = config.erase_suspend_time = 20_us;
  config.resume_time = 30_us;
  Bench bench(config);
  bench.submit(FlashOp::erase, 0, 0_us);
  bench.submit(FlashOp::read, page_of(1),
               100_us);  // array from 120 to 320, and the erase, which lacks 1400, from 350
  bench.timeline.run();
  CHECK(bench.results[1].at == 320_us);
  CHECK(bench.results[0].at == 1750_us);
  CHECK(bench.results[0].busy == 1500_us);
  CHECK(metric(bench, "nand.suspends") == 1);
  CHECK(metric(bench, "nand.die.0.utilisation") == Approx(1));
}

TEST_CASE("suspend: reads that come while it lasts are served before the program goes on") {
  NandConfig config = shaped(1, 1, 1);
  config.suspend = true;
  config.program_suspend_time = config.erase_suspend_time = 20_us;
  config.resume_time = 30_us;
  Bench bench(config);
  bench.submit(FlashOp::program, page_of(0), 0_us);
  bench.submit(FlashOp::read, page_of(1), 100_us);
  bench.submit(FlashOp::read, page_of(2), 200_us);
  bench.timeline.run();
  CHECK(bench.results[1].at == 320_us);
  CHECK(bench.results[2].at == 520_us);
  CHECK(bench.results[0].at == 550_us + 1200_us);
}

TEST_CASE("suspend: not where the operation is nearly done, nor more often than it may be") {
  NandConfig config = shaped(1, 1, 1);
  config.suspend = true;
  config.program_suspend_time = config.erase_suspend_time = 20_us;
  config.resume_time = 30_us;
  config.most_suspends = 1;
  for (const bool late : {false, true}) {
    Bench bench(config);
    bench.submit(FlashOp::erase, 0, 0_us);
    bench.submit(FlashOp::read, page_of(1), late ? 1480_us : 1480_us - 1_ps);
    bench.timeline.run();
    CHECK(bench.results[1].at == (late ? 1700_us : 1700_us - 1_ps));
    CHECK(metric(bench, "nand.suspends") == (late ? 0 : 1));
  }
  Bench bench(config);
  bench.submit(FlashOp::erase, 0, 0_us);
  bench.submit(FlashOp::read, page_of(1), 100_us);
  bench.submit(FlashOp::read, page_of(2), 400_us);
  bench.timeline.run();
  CHECK(bench.results[0].at == 1750_us);
  CHECK(bench.results[2].at == 1950_us);
  bench.submit(FlashOp::erase, 0, 10_ms);  // another one may be suspended again
  bench.submit(FlashOp::read, page_of(1), 10_ms + 100_us);
  bench.timeline.run();
  CHECK(bench.results[4].at == 10_ms + 320_us);
}

TEST_CASE("suspend: a cut tears what is suspended") {
  for (const Picoseconds when : {110_us, 200_us, 340_us, 400_us}) {  // stopping, reading, resuming, on again
    NandConfig config = shaped(1, 1, 1);
    config.suspend = true;
    config.program_suspend_time = config.erase_suspend_time = 20_us;
    config.resume_time = 30_us;
    Bench bench(config);
    bench.submit(FlashOp::program, page_of(0), 0_us);
    bench.submit(FlashOp::read, page_of(1), 100_us);
    bench.timeline.run_until(when);
    bench.device.cut(when);
    CHECK(bench.device.array().read(NandPage(0), {}, {}) == Status::media_error);
    CHECK(metric(bench, "nand.torn", when) == 1);
  }
}

TEST_CASE("programs and reads take the time of the page's type, and planes together that of the slowest") {
  NandConfig config = shaped(1, 1, 2);
  config.page_types = 3;
  config.program_time = 500_us;
  config.program_time_middle = 700_us;
  config.program_time_upper = 1500_us;
  config.read_time_upper = 260_us;  // of a middle page: as of a lower one
  Bench bench(config);
  for (std::uint64_t page = 0; page < 4; ++page) bench.submit(FlashOp::program, page, 0_ms);
  bench.timeline.run();
  CHECK(bench.results[0].at == 500_us);
  CHECK(bench.results[1].at == 1200_us);
  CHECK(bench.results[2] == Done{2700_us, 1500_us, Status::ok});
  CHECK(bench.results[3].at == 3200_us);
  for (const std::uint64_t page : {0, 1, 2}) bench.submit(FlashOp::read, page, 10_ms);
  bench.timeline.run();
  CHECK(bench.results[5].at == 10_ms + 400_us);
  CHECK(bench.results[6].at == 10_ms + 660_us);
  // Page 4 of block 0 is a middle one, page 0 of block 1 a lower one.
  bench.submit(FlashOp::program, page_of(1), 20_ms);
  bench.submit(FlashOp::program, 4, 20_ms);
  bench.timeline.run();
  CHECK(bench.results[7].at == 20_ms + 700_us);
  CHECK(bench.results[8].at == 20_ms + 700_us);
  Bench loaded(with_bus(config));
  for (std::uint64_t page = 0; page < 4; ++page) loaded.submit(FlashOp::program, page, 0_ms);
  loaded.timeline.run();
  loaded.submit(FlashOp::program, 4, 20_ms);
  loaded.submit(FlashOp::program, page_of(1), 20_ms);
  loaded.timeline.run();
  CHECK(loaded.results[4].at == 20_ms + 200_us + 700_us);
  CHECK(loaded.results[5].at == 20_ms + 200_us + 700_us);
}

TEST_CASE("of two pages a word line the upper one is that whose lower one was programmed before") {
  NandConfig config = shaped(1, 1, 1);
  config.page_types = 2;
  config.program_time_upper = 2_ms;
  Bench bench(config);
  for (std::uint64_t page = 0; page < 3; ++page) bench.submit(FlashOp::program, page,
                                                              0_ms);  // pages 0 and 1 are lower ones, 2 is upper
  bench.timeline.run();
  CHECK(bench.results[1].at == 2600_us);
  CHECK(bench.results[2].at == 4600_us);
}

TEST_CASE("error correction takes its time behind the transfer, while the die goes on") {
  NandConfig config = with_bus(shaped(1, 1, 1));
  config.ecc_time = 5_us;
  Bench bench(config);
  bench.submit(FlashOp::read, 0, 0_ms);
  bench.submit(FlashOp::read, 1, 0_ms);
  bench.timeline.run();
  CHECK(bench.results[0] == Done{305_us, 305_us, Status::blank});
  CHECK(bench.results[1] == Done{605_us, 305_us, Status::blank});
}

TEST_CASE("error correction takes longer the more bits are wrong: with wear, with retention, and less behind a retry") {
  // Codewords of 4096 bits. Fresh: 250,000 in 1e9, 1.024 bits. At the endurance 1,000,000 more, 4.096 bits; ten days later 500,000 more,
  // 2.048 bits. A retry leaves half.
  NandConfig config = shaped(1, 1, 1);
  config.ecc_bits = 40;
  config.endurance = 4;
  config.bit_errors_fresh = 250'000;
  config.bit_errors_wear = 1'000'000;
  config.bit_errors_retention = 50'000;
  config.read_retries = 1;
  config.ecc_time = 5_us;
  config.ecc_time_per_bit = 1_ms;
  const auto decoding = [](Bench& bench, std::uint8_t retry = 0) {
    FlashCommand& command = bench.commands.emplace_back();
    command.page = NandPage(0);
    command.retry = retry;
    bench.numbers[&command] = bench.commands.size() - 1;
    bench.device.submit(command, bench.timeline.now());
    bench.timeline.run();
    return bench.results[bench.commands.size() - 1].busy - 205_us;
  };
  const auto about = [](Picoseconds time, Picoseconds expected) { return time < expected + 1_us && expected < time + 1_us; };
  Bench fresh(config);
  fresh.submit(FlashOp::program, 0, 0_ms);
  fresh.timeline.run();
  CHECK(about(decoding(fresh), 1024_us));
  Bench worn(config);
  for (int erase = 0; erase < 4; ++erase) worn.submit(FlashOp::erase, 0, worn.timeline.now());
  worn.submit(FlashOp::program, 0, worn.timeline.now());
  worn.timeline.run();
  CHECK(about(decoding(worn), 5120_us));
  CHECK(about(decoding(worn, 1), 2560_us));
  worn.timeline.advance_to(worn.timeline.now() + Picoseconds(10 * 86'400 * ps_per_second));
  CHECK(decoding(worn) > 7168_us);
  CHECK(decoding(worn) < 7180_us);  // and the milliseconds that the reads took
}
