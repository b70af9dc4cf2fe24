// Bit errors in data on its way to flash pages and from there to the platters.
#include "unit/flash/flash_drive.hpp"

using namespace tessera;
using namespace tessera::literals;
using namespace tessera::test;

namespace {

SkylightSetup failing_dram() {
  SkylightSetup setup;
  setup.bench.dram.bit_errors = {{9e9, 0, 1}};
  return setup;
}

Status read(SkylightDrive& drive, std::uint64_t sector) { return drive.bench().read(sector * blocks_per_sector, blocks_per_sector); }

/// Writes sectors 0 to 2; two bits flip in the one in the middle when it has come to the host buffer.
void write_struck(SkylightDrive& drive) {
  FirmwareBench& bench = drive.bench();
  HostRequest& request = bench.submit(HostOp::write, 0, 3 * blocks_per_sector);
  const std::size_t dmas = bench.dmas.size();
  while (bench.dmas.size() == dmas) bench.timeline().step();
  bench.dram().add_bit_error(bench.dmas.back().address + sector_bytes, 2, bench.now());
  REQUIRE(bench.run_until_done(request) == Status::ok);
}

void check_middle_is_lost(SkylightDrive& drive) {
  CHECK(read(drive, 0) == Status::ok);
  CHECK_FALSE(ok(read(drive, 1)));
  CHECK(read(drive, 2) == Status::ok);
  CHECK(drive.bench().scoreboard().exempted({HostBlock(8), 8}));
  CHECK_FALSE(drive.bench().scoreboard().exempted({HostBlock(16), 8}));
  drive.check_content();
}

}  // namespace

TEST_CASE("memory errors: a sector that is lost on its way to a flash page is lost there and behind the merge") {
  SkylightDrive drive{failing_dram()};
  write_struck(drive);
  CHECK(drive.bench().metric("dram.lost_sectors") == 1);
  check_middle_is_lost(drive);
  drive.bench().steps.clear();
  for (std::uint64_t i = 0; i < 32; ++i) drive.write(drive.at(1 + i % 3, i % 8));  // until the band is merged
  CHECK_FALSE(drive.bench().steps_in("bands").empty());
  check_middle_is_lost(drive);
  drive.write(1);
  drive.read(0, 3);
  CHECK(drive.bench().metric("dram.lost_sectors") == 1);
  drive.check_content();
}

TEST_CASE("memory errors: data that a flash page brings covers the errors that struck its buffer before") {
  SkylightDrive drive{failing_dram()};
  drive.write(0, 3);
  HostRequest& request = drive.bench().submit(HostOp::read, 0, 3 * blocks_per_sector);
  const DramAddress buffer = drive.bench().dmas.back().address + 3 * sector_bytes;  // next to that of the write
  drive.bench().dram().add_bit_error(buffer + sector_bytes, 2, drive.bench().now());
  CHECK(drive.bench().run_until_done(request) == Status::ok);
  CHECK(drive.bench().dmas.back().address == buffer);
  drive.check_content();
}
