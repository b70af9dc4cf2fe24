// Power cuts at every instant of chosen moments, and flash that fails.
#include "flash_drive.hpp"
#include "support/cut_everywhere.hpp"

using namespace tessera;
using namespace tessera::test;

namespace {

/// Cuts a write behind `prepare` at every instant.
template <class Drive, class Setup, class Prepare>
std::uint64_t cut_everywhere(const Setup& setup, Prepare prepare, std::uint64_t band, std::uint64_t offset, std::uint32_t count = 1) {
  const auto begin = [&](Drive& drive) {
    prepare(drive);
    drive.bench().submit(HostOp::write, drive.at(band, offset) * 8, count * 8);
  };
  const auto go_on = [](Drive& drive) { drive.write_banded({{0, 0}, {1, 1}, {2, 2}, {0, 3}, {3, 7}, {0, 3}}); };
  return test::cut_everywhere<Drive>(setup, begin, go_on);
}

}  // namespace

TEST_CASE("a cut at any instant of the cleaning of a zone of skylight-flash loses nothing") {
  SkylightSetup setup;
  setup.layer.cache_zones = 2;
  setup.bench.nand->dies = GENERATE(1U, 2U);
  setup.cache().map.kind = GENERATE(MapKind::array, MapKind::paged);
  const auto prepare = [](SkylightDrive& drive) { drive.write_banded({{0, 1}, {2, 1}, {0, 1}, {2, 3}}); };
  CHECK(cut_everywhere<SkylightDrive>(setup, prepare, 2, 1, 2) > 20);
}

TEST_CASE("a cut at any instant of a TRIM of a band, or of a merge after it, leaves nothing older") {
  SkylightSetup setup;
  setup.layer.cache_zones = 2;
  setup.bench.nand->blocks = 8;
  setup.cache().map.kind = GENERATE(MapKind::array, MapKind::paged);
  const auto go_on = [](SkylightDrive& drive) { drive.write_banded({{0, 0}, {1, 1}, {2, 2}, {0, 3}, {3, 7}, {0, 3}, {2, 4}, {0, 6}}); };
  const auto merged_and_cached = [](SkylightDrive& drive) {
    drive.write_banded({{0, 1}, {0, 3}, {0, 6}, {2, 1}, {2, 0}, {2, 1}, {2, 4}, {2, 1}, {0, 2}, {0, 1}, {0, 3}});
  };
  const auto empty = [&](SkylightDrive& drive) {
    merged_and_cached(drive);
    drive.bench().submit(HostOp::trim, drive.at(0, 0) * 8, 8 * 8);
  };
  CHECK(test::cut_everywhere<SkylightDrive>(setup, empty, go_on) >= 2);
  const auto prepare = [&](SkylightDrive& drive) {
    merged_and_cached(drive);
    drive.trim(drive.at(0, 0), 8);
    drive.write_banded({{0, 2}, {2, 0}, {2, 1}, {2, 5}});
    drive.trim(drive.at(2, 3), 5);
  };
  CHECK(cut_everywhere<SkylightDrive>(setup, prepare, 0, 4) > 5);
}

TEST_CASE("copies of a band that were merged do not come back when only some blocks of the zone were erased") {
  // Die 0 has blocks 0, 2, 4 and 6 to erase, die 1 only 5 and 7. While die 0 erases block 2, block 5 with the newest copy of band 0's
  // first sector is erased already, and block 4 still holds the one before: only the watermark tells that it is void.
  SkylightSetup setup;
  setup.layer.cache_zones = 1;
  setup.bench.nand->dies = 2;
  setup.bench.nand->blocks = 8;
  setup.bench.nand->bad_blocks = {{1}, {3}};
  const auto prepare = [](SkylightDrive& drive) {
    drive.write_banded({{1, 0}, {1, 1}, {1, 2}, {1, 3}, {0, 0}, {1, 4}, {0, 0}, {1, 5}, {2, 0}, {2, 1}, {2, 2}, {2, 3}});
  };
  CHECK(cut_everywhere<SkylightDrive>(setup, prepare, 0, 1) > 20);
}

TEST_CASE("skylight-flash goes on after programs and erases that fail, and after factory-bad blocks") {
  SkylightSetup setup;
  setup.layer.cache_zones = 2;
  setup.bench.nand->blocks = 12;
  setup.bench.nand->bad_blocks = {{1}};
  setup.bench.nand->program_failures = {{0, 2}};
  setup.bench.nand->erase_failures = {{8, 1}};
  SkylightDrive drive(setup);
  for (std::uint64_t i = 0; i < 120; ++i) drive.write(i * 5 % 32);
  CHECK(drive.metric("flash.program_failures") == 1);
  CHECK(drive.metric("flash.retired_blocks") == 3);
  drive.check_content();
  drive.cut_now();
  drive.check_content();
}

TEST_CASE("with every block gone a write fails, and what was written can still be read") {
  SkylightSetup setup;
  setup.layer.cache_zones = 1;
  setup.bench.nand->blocks = 2;
  setup.bench.nand->erase_failures = {{0, 1}, {1, 1}};
  SkylightDrive drive(setup);
  Status status = Status::ok;
  for (std::uint64_t i = 0; i < 10 && status == Status::ok; ++i) status = drive.bench().write(i % 2 * 64, 8);
  CHECK(status == Status::read_only);
  drive.check_content();
}

TEST_CASE("a cut at any instant of a cleaning of pore, its merges, copies and erases, loses nothing") {
  PoreSetup setup;
  setup.layer.mode = GENERATE(pore::Mode::ef_smr, pore::Mode::original);
  setup.layer.open_frac = 0.5;
  setup.layer.reserve_blocks = 1;
  setup.layer.zone_sectors = 12;
  setup.layer.period = 3;
  setup.bench.nand->blocks = 5;
  setup.bench.nand->dies = GENERATE(1U, 2U);
  setup.bench.nand->copyback = true;
  setup.layer.copybacks = GENERATE(0U, 1U);
  setup.cache().map.kind = GENERATE(MapKind::array, MapKind::paged);
  const auto prepare = [](PoreDrive& drive) { drive.write_banded({{0, 1}, {2, 1}, {0, 1}, {2, 3}, {1, 0}, {2, 1}, {0, 5}, {1, 4}}); };
  CHECK(cut_everywhere<PoreDrive>(setup, prepare, 3, 1, 2) > 20);
}

TEST_CASE("pore goes on after programs and erases that fail, copies included") {
  PoreSetup setup;
  setup.bench.nand->blocks = 14;
  setup.bench.nand->bad_blocks = {{1}};
  setup.bench.nand->program_failures = {{0, 2}, {13, 1}};
  setup.bench.nand->erase_failures = {{8, 1}};
  PoreDrive drive(setup);
  for (std::uint64_t i = 0; i < 300; ++i) drive.write(i * 5 % 32);
  CHECK(drive.metric("flash.program_failures") == 2);
  CHECK(drive.metric("flash.retired_blocks") == 4);
  drive.check_content();
  drive.cut_now();
  drive.check_content();
}

TEST_CASE("recovery of a flash cache reads the first page of every block, and the others of blocks that are not blank") {
  SkylightSetup setup;
  setup.layer.cache_zones = 1;
  setup.bench.nand->blocks = 20;
  SkylightDrive drive(setup);
  drive.write(0, 8);
  drive.write(0, 8);
  drive.bench().flash_commands.clear();
  drive.cut_now();
  CHECK(drive.flash(FlashOp::read_oob) == 20 + 8);
  CHECK(drive.flash(FlashOp::erase) == 4);  // blocks without a valid page
  CHECK(drive.layer().owners().count(0) == 8);
}

TEST_CASE("blocks that were full at a checkpoint are known, blocks erased and filled again since are read") {
  SkylightSetup setup;
  setup.layer.cache_zones = 2;
  setup.cache().checkpoint.region = sectors(12);
  setup.cache().checkpoint.every = 4;
  setup.cache().checkpoint.dump_tags = false;
  SkylightDrive drive(setup);
  drive.write_banded({{0, 0}, {0, 1}, {1, 0}, {1, 1}});  // a full block in each zone, and the checkpoint
  drive.bench().run_until_idle(Picoseconds(1'000'000'000'000));
  drive.write_banded({{0, 2}, {0, 3}, {0, 4}});  // zone 0 is full, cleaned and begun again
  drive.bench().flash_commands.clear();
  drive.cut_now();
  CHECK(drive.flash(FlashOp::read_oob) == 4 + 1);
  CHECK(drive.layer().owners().count(0) == 1);
  CHECK(drive.layer().owners().count(1) == 2);
  drive.check_content();
}

TEST_CASE("a band with a sector that cannot be read is merged, and that sector alone stays lost until it is written again") {
  SkylightSetup setup;
  setup.layer.cache_zones = 2;
  SkylightDrive drive(setup);
  drive.read(drive.at(2, 5));
  const PhysicalRun unreadable = drive.bench().steps.back().run;
  drive.bench().media().add_unreadable({unreadable.track, unreadable.first});
  drive.write_banded({{0, 0}, {2, 4}, {2, 3}, {0, 1}, {0, 2}});
  CHECK(drive.metric("cleaning.count") == 1);
  CHECK(drive.bench().read(drive.at(2, 5) * 8, 8) == Status::lost);
  drive.read(drive.at(2, 0), 5);
  drive.read(drive.at(2, 6), 2);
  drive.cut_now();
  CHECK(drive.bench().read(drive.at(2, 5) * 8, 8) == Status::lost);
  drive.write(drive.at(2, 5));
  drive.read(drive.at(2, 0), 8);
  CHECK(drive.bench().scoreboard().errors() == 0);
}

TEST_CASE("a cached page that cannot be read is lost: neither a read nor a merge takes the older copy in the band for it") {
  SkylightSetup setup;
  setup.layer.cache_zones = 2;
  SkylightDrive drive(setup);
  drive.write_banded({{0, 0}, {0, 1}, {0, 0}, {2, 3}, {2, 4}});  // the first version of 0:0 is in the band
  REQUIRE(drive.metric("cleaning.count") == 1);
  const NandPage newest = drive.bench().flash_commands.back().page;
  setup.bench.nand->read_failures = {{static_cast<double>(newest.value()), 1}, {static_cast<double>(newest.value()), 2}};
  SkylightDrive failing(setup);
  failing.write_banded({{0, 0}, {0, 1}, {0, 0}, {2, 3}, {2, 4}});
  CHECK(failing.bench().read(failing.at(2, 4) * 8, 8) == Status::media_error);
  failing.read(failing.at(2, 3));
  CHECK(failing.bench().scoreboard().errors() == 0);
}

TEST_CASE("a log of the bands of which a copy cannot be read is written anew at the boot that finds it") {
  SkylightDrive drive{SkylightSetup()};
  const auto log = std::ranges::find(drive.plan(), "log", &Region::name);
  REQUIRE(log != drive.plan().end());
  drive.bench().steps.clear();
  drive.cut_now();
  CHECK(drive.bench().sectors_in("log", MediaOp::write) == 0);
  drive.bench().media().add_unreadable({{0, static_cast<std::uint32_t>(log->first)}, 2});  // the first superblock of the first checkpoint
  drive.cut_now();
  CHECK(drive.bench().sectors_in("log", MediaOp::write) > 0);
}
