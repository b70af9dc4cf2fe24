// The conventional layer.
#include <catch2/catch.hpp>

#include <cmath>

#include "firmware/layers/layer_factories.hpp"
#include "unit/firmware/test_drive.hpp"

using namespace tessera;
using namespace tessera::literals;
using namespace tessera::test;

TEST_CASE("cmr: one sector at track 250,000 of 750,000 takes the seek, half a turn and the transfer") {
  BenchConfig config = small_drive();
  config.media.tracks = 750'000;
  config.media.sectors_per_track = 512;  // 2 MiB
  config.dram.capacity = 64_MiB;
  TestDrive drive(make_cmr_factory(), {}, config);
  drive->steps.clear();
  REQUIRE(drive->write(250'000ULL * 512 * blocks_per_sector, 8) == Status::ok);
  const auto seek = 2e9 + 18e9 * std::sqrt(250'000.0 / 749'999.0);
  CHECK(seek / 1e9 == Approx(12.39).margin(0.005));
  const double expected = seek + 5e9 + 10e9 / 512;
  CHECK(std::abs(static_cast<double>(drive->media_time().value()) - expected) < 1000.0);  // a nanosecond
}

TEST_CASE("cmr: a request is split at track boundaries and goes in one chain") {
  TestDrive drive(make_cmr_factory(), {});
  drive->steps.clear();
  REQUIRE(drive->write(15 * blocks_per_sector, 18 * 8) == Status::ok);
  REQUIRE(drive->steps.size() == 3);
  CHECK(drive->steps[0].run == PhysicalRun{{0, 0}, 15, 1});
  CHECK(drive->steps[1].run == PhysicalRun{{0, 1}, 0, 16});
  CHECK(drive->steps[2].run == PhysicalRun{{0, 2}, 0, 1});
}

TEST_CASE("cmr: a request of more tracks than a chain has steps is served whole") {
  TestDrive drive(make_cmr_factory(), {});
  REQUIRE(drive->write(3 * blocks_per_sector, 20 * 16 * 8) == Status::ok);
  CHECK(drive.wrong_blocks() == 0);
  CHECK(drive.sectors_written() == 20 * 16);
}

TEST_CASE("cmr: an acknowledged write survives a cut right after the acknowledgement, and one in flight is old or new") {
  for (std::uint64_t actions = 0;; ++actions) {
    TestDrive drive(make_cmr_factory(), {});
    REQUIRE(drive->write(4 * blocks_per_sector, 5 * 8) == Status::ok);
    drive->submit(HostOp::write, 3 * blocks_per_sector, 4 * 8);
    const bool cut = drive->cut_after_actions(actions);
    CHECK(drive.wrong_blocks() == 0);
    if (!cut) break;
  }
}

TEST_CASE("cmr: a journal region takes its tracks out of the middle") {
  TestDrive drive(make_cmr_factory(), {{"journal_tracks", 4}});
  CHECK(drive.firmware().user_sectors() == 28 * 16);
  REQUIRE(drive.plan().size() == 3);
  CHECK(drive.plan()[1].first == 14);
}
