// What crosses bus and DRAM is what the host, the platters and the flash moved, to the byte.
#include "firmware/layers/layer_factories.hpp"
#include "unit/firmware/test_drive.hpp"
#include "unit/flash/flash_drive.hpp"

using namespace tessera;
using namespace tessera::literals;
using namespace tessera::test;

namespace {

/// What the engines moved since the object was made.
class Moved {
 public:
  explicit Moved(FirmwareBench& bench) : bench_(bench), before_(all()) {}
  struct Bytes {
    double host, disk, flash, copy, dram;
  };
  [[nodiscard]] Bytes since() const {
    const Bytes now = all();
    return {now.host - before_.host, now.disk - before_.disk, now.flash - before_.flash, now.copy - before_.copy, now.dram - before_.dram};
  }

 private:
  [[nodiscard]] Bytes all() const {
    return {bench_.metric("bus.host.bytes"), bench_.metric("bus.disk.bytes"), bench_.metric("bus.flash.bytes"),
            bench_.metric("bus.copy.bytes"), bench_.metric("dram.dma.bytes")};
  }
  FirmwareBench& bench_;
  Bytes before_;
};

template <class Record>
double bytes_of(const std::vector<Record>& records) {
  Bytes sum;
  for (const Record& record : records) sum += record.moved;
  return static_cast<double>(sum.value());
}

}  // namespace

TEST_CASE("a conventional drive moves each byte twice: between link and DRAM, and between DRAM and platters") {
  TestDrive drive(make_cmr_factory(), {}, small_drive(), {});
  FirmwareBench& bench = drive.bench();
  const Moved moved(bench);
  REQUIRE(bench.write(80, 40) == Status::ok);
  REQUIRE(bench.read(96, 16) == Status::ok);
  CHECK(moved.since().host == 56 * 512);
  CHECK(moved.since().disk == 7 * 4096);
  CHECK(moved.since().flash == 0);
  CHECK(moved.since().copy == 0);
  CHECK(moved.since().dram == 56 * 512 + 7 * 4096);
}

TEST_CASE("a write that begins and ends inside sectors moves these in, and what is kept of them to its buffer") {
  TestDrive drive(make_cmr_factory(), {}, small_drive(), {});
  FirmwareBench& bench = drive.bench();
  REQUIRE(bench.write(0, 64) == Status::ok);
  bench.steps.clear();
  const Moved moved(bench);
  REQUIRE(bench.write(3, 16) == Status::ok);  // sectors 0 to 2
  CHECK(moved.since().host == 16 * 512);
  CHECK(moved.since().disk == 3 * 4096 + 2 * 4096);
  CHECK(moved.since().copy == (3 + 5) * 512);
  CHECK(moved.since().dram == moved.since().host + moved.since().disk + moved.since().copy);
}

TEST_CASE("pages of flash cross with their out-of-band bytes, and a merge moves all that it reads and writes") {
  SkylightSetup setup;
  SkylightDrive drive(setup);
  FirmwareBench& bench = drive.bench();
  bench.steps.clear();
  bench.flash_commands.clear();
  const Moved moved(bench);
  for (std::uint64_t i = 0; i < 24; ++i) drive.write(drive.at(i % 3, i % 8));
  bench.run_until_idle(10_s);
  REQUIRE(drive.flash(FlashOp::read) > 0);  // merges
  REQUIRE_FALSE(bench.steps.empty());
  CHECK(moved.since().host == 24 * 4096);
  CHECK(moved.since().flash == bytes_of(bench.flash_commands));
  CHECK(moved.since().flash >
        static_cast<double>((drive.flash(FlashOp::read) + drive.flash(FlashOp::program)) * 4096));  // out-of-band bytes
  CHECK(moved.since().disk == bytes_of(bench.steps));
  CHECK(moved.since().dram == moved.since().host + moved.since().disk + moved.since().flash + moved.since().copy);
}

namespace {

/// What one write of whole sectors adds to a metric: a chain of the disk, and no timer.
double of_one_write(const BenchConfig& config, const char* metric) {
  TestDrive drive(make_cmr_factory(), {}, config, {});
  const double before = drive->metric(metric);
  REQUIRE(drive->write(80, 8) == Status::ok);
  return drive->metric(metric) - before;
}

}  // namespace

TEST_CASE("a command of the host crosses the bus with its registers and rings") {
  // Two interrupts of two registers each, two doorbells; a command and a completion of the host, and of the disk.
  CHECK(of_one_write(small_drive(), "bus.registers.bytes") == 6 * 4);
  CHECK(of_one_write(small_drive(), "bus.descriptors.bytes") == 2 * (32 + 16));
  CHECK(of_one_write(small_drive(), "tcm.accesses.descriptors") == 4);
  CHECK(of_one_write(small_drive(), "dram.dma.bytes") == 2 * 4096);
}

TEST_CASE("rings in the DRAM cross the bus twice an entry, and are moved by its DMA") {
  BenchConfig config = small_drive();
  config.placement.places[static_cast<std::size_t>(MemoryCategory::descriptors)] = MemoryPlace::dram;
  CHECK(of_one_write(config, "bus.registers.bytes") == 6 * 4);
  CHECK(of_one_write(config, "bus.descriptors.bytes") == 2 * 2 * (32 + 16));
  CHECK(of_one_write(config, "tcm.accesses.descriptors") == 0);
  CHECK(of_one_write(config, "dram.dma.bytes") == 2 * 4096 + 2 * 2 * (32 + 16));
}

TEST_CASE("what lies in the TCM is not moved in the DRAM") {
  BenchConfig config = small_drive();
  config.host.buffer = 64_KiB;
  config.controller.staging_buffer = 16_KiB;
  config.placement.places[static_cast<std::size_t>(MemoryCategory::host_buffer)] = MemoryPlace::tcm;
  CHECK(of_one_write(config, "dram.dma.bytes") == 0);
  CHECK(of_one_write(config, "tcm.dma.bytes") == 2 * 4096);
  CHECK(of_one_write(config, "bus.disk.bytes") == 4096);
  CHECK(of_one_write(config, "bus.host.bytes") == 4096);
}
