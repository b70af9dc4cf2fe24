// The write buffers of HWSR and S-blocks, and rewrites that the dump guards, after dumps that fail.
#include "support/cut_everywhere.hpp"
#include "unit/dumps/torn_dumps.hpp"
#include "unit/sblock/sblock_drive.hpp"
#include "unit/wave/hwsr_drive.hpp"

using namespace tessera;
using namespace tessera::test;

namespace {

constexpr std::uint64_t buffered_sectors = 8;  ///< four blocks of two sectors

std::uint64_t unreadable_sectors(HwsrDrive& drive, std::uint64_t segment) {
  std::uint64_t count = 0;
  for (std::uint64_t i = 0; i < buffered_sectors; ++i)
    if (drive.bench().read((drive.at(segment, 0) + i) * blocks_per_sector, blocks_per_sector) != Status::ok) ++count;
  return count;
}

template <class Drive, class Setup>
void random_histories(const Setup& setup, const char* stream) {
  for (std::uint64_t run = 0; run < 60; ++run) {
    INFO("run " << run);
    RandomStream random(run, stream);
    Setup drawn = setup;
    drawn.bench.media.powerfail_sector = random.below(2) == 0 ? PowerfailSector::atomic : PowerfailSector::corrupt;
    Drive drive(drawn);
    history_with_torn_dumps(drive, random);
    write_everything_again(drive);
  }
}

}  // namespace

TEST_CASE("write buffer: sectors that a dump did not reach answer with an error, and without its directory the buffer is empty") {
  constexpr std::uint64_t pieces = 1 + buffered_sectors;
  for (std::uint64_t saved = 0; saved <= pieces; ++saved) {
    INFO(saved << " pieces saved");
    HwsrSetup setup;
    setup.layer.caches.dump_tags = false;
    HwsrDrive drive(setup);
    drive.bench().fail_dumps([=](std::uint64_t all) {
      CHECK(all == pieces);
      return saved;
    });
    drive.write(drive.at(4, 0), 8);
    drive.flush();
    for (std::uint32_t index = 0; index < 4; ++index) drive.write(drive.at(4, index), 2);
    drive.cut_now();
    const std::uint64_t lost = saved == 0 ? 0 : pieces - saved;
    CHECK(unreadable_sectors(drive, 4) == lost);
    drive.check_content();
    CHECK(drive.metric("buffer.lost_at_boot") == static_cast<double>(lost));
    CHECK(drive.bench().scoreboard().lost_in_dumps() == (saved == 0 ? buffered_sectors : lost) * blocks_per_sector);
    drive.write(drive.at(4, 0), 8);
    CHECK(unreadable_sectors(drive, 4) == 0);
    drive.flush();
    drive.check_content();
  }
}

TEST_CASE("write buffer: what the disk has of a block that was written again meanwhile needs no dump") {
  std::uint64_t meanwhile = 0;
  for (std::uint64_t delay = 0; delay < 120; ++delay) {
    INFO("the block's other sector is written after " << delay << " half milliseconds");
    HwsrDrive drive{HwsrSetup{}};
    drive.bench().fail_dumps([](std::uint64_t all) { return std::min<std::uint64_t>(1, all); });  // the directory alone
    drive.write(drive.at(4, 0), 8);
    drive.flush();
    const std::uint64_t block = drive.at(4, 1) * blocks_per_sector;
    HostRequest& durable = drive.bench().submit(HostOp::write, block, blocks_per_sector, true);
    drive.bench().run_for(500_us * delay);
    const bool under_way = !FirmwareBench::done(durable);
    drive.write(drive.at(4, 1) + 1, 1);
    if (!FirmwareBench::done(durable)) REQUIRE(drive.bench().run_until_done(durable) == Status::ok);
    drive.cut_now();
    CHECK(drive.bench().read(block, blocks_per_sector) == Status::ok);
    drive.check_content();
    meanwhile += under_way && drive.metric("buffer.lost_at_boot") == 1 ? 1 : 0;
  }
  CHECK(meanwhile > 0);
}

TEST_CASE(
    "write buffer: a cut at any instant of a rewrite that a dump guards, with a dump of any length, keeps what is flushed or says so") {
  HwsrSetup setup;
  setup.layer.caches.rewrite_guard = RewriteGuard::dump;
  for (std::uint64_t saved = 0; saved <= 2 + 2 * buffered_sectors; ++saved) {
    INFO(saved << " pieces saved");
    const auto begin = [saved](HwsrDrive& drive) {
      drive.bench().fail_dumps([=](std::uint64_t all) { return std::min(saved, all); });
      drive.write(drive.at(4, 0), 8);
      drive.flush();
      drive.bench().submit(HostOp::write, drive.at(4, 1) * blocks_per_sector + 8, 8, true);
    };
    const auto go_on = [](HwsrDrive& drive) {
      for (std::uint32_t index = 0; index < 4; ++index) drive.write(drive.at(4, index), 2);
      drive.flush();
    };
    CHECK(cut_everywhere<HwsrDrive>(setup, begin, go_on) > 8);
  }
}

TEST_CASE("write buffer: of a guarded rewrite that had not begun nothing is lost, whatever of the image the dump did not save") {
  HwsrSetup setup;
  setup.layer.caches.rewrite_guard = RewriteGuard::dump;
  HwsrDrive drive(setup);
  drive.write(drive.at(4, 0), 8);
  drive.flush();
  drive.bench().fail_dumps([](std::uint64_t) { return std::uint64_t{2}; });  // the tables
  drive.bench().steps.clear();
  drive.bench().submit(HostOp::write, drive.at(4, 0) * blocks_per_sector, 8, true);
  while (drive.steps(MediaOp::write) == 0) drive.bench().timeline().step();
  drive.bench().cut_now();
  REQUIRE(drive.bench().boot_status() == Status::ok);
  drive.check_content();
  CHECK(unreadable_sectors(drive, 4) == 1);  // the one that was in the buffer alone
}

TEST_CASE("write buffer: dumps that fail at random in random histories of HWSR") {
  HwsrSetup setup;
  setup.layer.caches.rewrite_guard = GENERATE(RewriteGuard::flash, RewriteGuard::dump);
  random_histories<HwsrDrive>(setup, "torn dumps of HWSR");
}

TEST_CASE("write buffer: dumps that fail at random in random histories of S-blocks") {
  random_histories<SblockDrive>(SblockSetup(), "torn dumps of S-blocks");
}
