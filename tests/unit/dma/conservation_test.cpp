// What crosses bus and DRAM is what the host, the platters and the flash moved, to the byte.
#include "firmware/layers/cmr.hpp"
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
