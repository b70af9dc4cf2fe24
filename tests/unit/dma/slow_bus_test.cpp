// A bus that cannot keep up with its devices costs what the devices make of it.
#include "firmware/layers/layer_factories.hpp"
#include "unit/firmware/test_drive.hpp"
#include "unit/flash/flash_drive.hpp"

using namespace tessera;
using namespace tessera::literals;
using namespace tessera::test;

namespace {

/// A byte a cycle; nothing else takes time.
BenchConfig with_bus(BenchConfig config, Hertz clock) {
  config.ideal_electronics();
  config.bus.width = 1;
  config.bus.clock = clock;
  config.bus.crossing = 0;
  return config;
}

struct Times {
  Picoseconds write, read;
  double missed;
};

/// A write and a read of two thirds of a track.
Times of(const BenchConfig& config) {
  TestDrive drive(make_cmr_factory(), {}, config, {});
  FirmwareBench& bench = drive.bench();
  const std::uint32_t blocks = config.media.sectors_per_track * 2 / 3 * 8;
  const auto took = [&](HostOp op) {
    const HostRequest& request = bench.submit(op, 0, blocks);
    const Picoseconds begin = bench.now();
    while (!FirmwareBench::done(request)) bench.timeline().step();
    return bench.now() - begin;
  };
  const Picoseconds write = took(HostOp::write);
  const Picoseconds read = took(HostOp::read);
  return {write, read, bench.metric("disk_channel.missed_turns")};
}

}  // namespace

TEST_CASE("slow bus: a platter that the bus keeps up with loses no turn, one that it does not loses some on reads and writes") {
  BenchConfig config = small_drive();
  config.controller.disk_fifo = 4_KiB;
  const Picoseconds turn = revolution(config.media.speed);
  const Bytes run(std::uint64_t{config.media.sectors_per_track} * 2 / 3 * 4096);
  // The media rate as the head passes a track of so many sectors, with a tenth more.
  const Hertz enough(run.value() * ps_per_second / (turn.value() * 2 / 3) * 11 / 10);
  const Times fast = of(with_bus(config, enough));
  CHECK(fast.missed == 0);
  const Times slow = of(with_bus(config, Hertz(enough.value() / 2)));
  CHECK(slow.missed > 0);
  CHECK(slow.missed <= 2 * static_cast<double>(run.value()) / 4096);
  CHECK(slow.write + slow.read > fast.write + fast.read + turn * static_cast<std::uint64_t>(slow.missed));
}

TEST_CASE("slow bus: a larger FIFO loses fewer turns") {
  BenchConfig config = with_bus(small_drive(), Hertz(0));
  const Bytes run(std::uint64_t{config.media.sectors_per_track} * 2 / 3 * 4096);
  config.bus.clock = Hertz(run.value() * ps_per_second / (revolution(config.media.speed).value() * 2 / 3) / 2);
  double before = 1e9;
  for (const Bytes fifo : {4_KiB, 16_KiB, 64_KiB}) {
    config.controller.disk_fifo = fifo;
    const double missed = of(config).missed;
    CHECK(missed < before);
    before = missed;
  }
}

TEST_CASE("slow bus: a flash channel waits for the data of a program, and a read for its way to the DRAM") {
  const auto written_and_read = [](Hertz clock) {
    SkylightSetup setup;
    setup.bench.ideal_electronics();
    setup.bench.bus.width = 1;
    setup.bench.bus.crossing = 0;
    setup.bench.bus.clock = clock;
    SkylightDrive drive(setup);
    FirmwareBench& bench = drive.bench();
    const Picoseconds begin = bench.now();
    drive.write(0);
    const Picoseconds written = bench.now();
    drive.read(0);
    return std::pair(written - begin, bench.now() - written);
  };
  const auto ideal = written_and_read(Hertz(0));
  const auto slow = written_and_read(Hertz(10'000'000));  // 100 ns a byte
  // The host's sector crosses the bus, then the page with its out-of-band bytes, on either way; beside them registers (six of 4 B) and the
  // commands and completions of host and flash (32 and 16 B each).
  const Picoseconds most = 100_ns * (4096 + 4096 + 64 + 6 * 4 + 2 * (32 + 16));
  CHECK(slow.first >= ideal.first + 100_ns * (4096 + 4096));
  CHECK(slow.first <= ideal.first + most);
  CHECK(slow.second + 1_ns >= ideal.second + 100_ns * (4096 + 4096));  // less the time on an ideal link
  CHECK(slow.second <= ideal.second + most);
}

TEST_CASE("slow bus: a merge does not go on before the pages that it read from flash are in the DRAM") {
  struct Cleaning {
    double milliseconds;
    double merges;
  };
  const auto cleaning = [](Hertz clock) {
    SkylightSetup setup;
    setup.bench.ideal_electronics();
    setup.bench.media.timing = MediaTimingMode::expected;
    setup.bench.bus.width = 1;
    setup.bench.bus.crossing = 0;
    setup.bench.bus.clock = clock;
    setup.cache().crash_safe = false;
    SkylightDrive drive(setup);
    drive.write_banded({{0, 0}, {2, 1}, {0, 0}, {2, 3}, {2, 4}, {1, 0}, {1, 1}, {1, 2}, {3, 0}});
    REQUIRE(drive.metric("cleaning.count") == 1);
    return Cleaning{drive.metric("cleaning.max"), drive.metric("rmw.count")};
  };
  const Cleaning ideal = cleaning(Hertz(0));
  const Cleaning slow = cleaning(Hertz(100'000'000));  // 10 ns a byte: the platters are kept up with
  // Of each merge the last page crosses the bus with its out-of-band bytes while nothing else can go on.
  CHECK((slow.milliseconds - ideal.milliseconds) * 1e6 >= slow.merges * 10 * (4096 + 64));
}
