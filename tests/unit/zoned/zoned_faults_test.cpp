// Sectors that cannot be read or written: unreadable is not absent.
#include "platforms/run/medium_truth.hpp"
#include "zoned_drive.hpp"

using namespace tessera;
using namespace tessera::test;

namespace {

/// Where a sector of zone 1 lies: the first band after the conventional tracks.
PhysicalSector place_of(const ZonedDrive& drive, std::uint32_t sector) {
  std::uint64_t first = 0;
  for (const Region& region : drive.plan())
    if (region.name == "bands" && (first == 0 || region.first < first)) first = region.first;
  return {{0, static_cast<std::uint32_t>(first + sector / 4)}, sector % 4};
}

/// As a refresh leaves what it cannot read: stored as lost, without its mark.
void store_as_lost(ZonedDrive& drive, PhysicalSector place) {
  MediaDevice& media = drive.bench().media();
  DataBuffer data(DramAddress(0), 1, media.content().shape());
  data.mark_lost(0);
  const MediaStep step{MediaOp::write, StepHint::position, {place.track, place.index, 1}, data.all(), {}, nullptr};
  drive.bench().timeline().advance_to(media.start(step, drive.bench().now()).end);
  REQUIRE(media.finish() == Status::ok);
}

}  // namespace

TEST_CASE("a sector in the midst of a zone that cannot be read moves no pointer") {
  ZonedDrive drive;
  REQUIRE(drive.write_zone(1, 0, 7) == Status::ok);
  const auto sector = static_cast<std::uint32_t>(GENERATE(0, 1, 2, 3, 4, 5));
  drive.bench().media().add_unreadable(place_of(drive, sector));
  drive.cut_now();
  CHECK(drive.pointer(1) == 7);
  CHECK(drive.metric("zones.in_doubt") == 0);
  CHECK(drive.read_zone(1, sector, 1) == Status::media_error);
  CHECK(drive.read_zone(1, 6, 1) == Status::ok);
}

TEST_CASE("a last sector that cannot be read after a cut stays below the pointer, and what it proved is in doubt") {
  ZonedDrive drive;
  REQUIRE(drive.write_zone(1, 0, 4) == Status::ok);
  REQUIRE(drive.write_zone(1, 4, 3) == Status::ok);
  drive.bench().media().add_unreadable(place_of(drive, 6));
  drive.cut_now();
  CHECK(drive.pointer(1) == 7);
  CHECK(drive.metric("zones.in_doubt") == 3);
  CHECK(drive.read_zone(1, 0, 4) == Status::ok);
  CHECK(drive.read_zone(1, 4, 1) == Status::media_error);
  REQUIRE(drive.write_zone(1, 7, 2) == Status::ok);
  drive.cut_now();
  CHECK(drive.pointer(1) == 9);
  CHECK(drive.read_zone(1, 4, 3) == Status::media_error);
  CHECK(drive.read_zone(1, 7, 2) == Status::ok);
  REQUIRE(drive.manage(HostOp::zone_reset, 1) == Status::ok);
  CHECK(drive.read_zone(1, 4, 3) == Status::ok);
}

TEST_CASE("what a zone has in doubt is founded where it ends with a sector that could not be read, and nowhere else") {
  ZonedDrive drive;
  REQUIRE(drive.write_zone(1, 0, 4) == Status::ok);
  REQUIRE(drive.write_zone(1, 4, 3) == Status::ok);
  CHECK(drive.layer().in_doubt().empty());
  drive.bench().media().add_unreadable(place_of(drive, 6));
  drive.cut_now();
  const std::vector<ReadDoubt> said = drive.layer().in_doubt();
  REQUIRE(said.size() == 1);
  CHECK(said[0].blocks == HostRun{HostBlock(drive.block(1, 4)), 3 * blocks_per_sector});
  const std::vector<ReadDoubt> founded = founded_doubts(drive.bench().media(), said);
  REQUIRE(founded.size() == 1);
  CHECK(founded[0].blocks == said[0].blocks);
  drive.bench().scoreboard().in_doubt(founded[0].blocks);
  CHECK(drive.bench().scoreboard().exempted({HostBlock(drive.block(1, 4)), 1}));
  CHECK_FALSE(drive.bench().scoreboard().exempted({HostBlock(drive.block(1, 3)), 8}));
  drive.bench().media().forget_unread();
  CHECK(founded_doubts(drive.bench().media(), said).empty());
  REQUIRE(drive.manage(HostOp::zone_reset, 1) == Status::ok);
  CHECK(drive.layer().in_doubt().empty());
}

TEST_CASE("a last sector that a refresh could not read, and stored as lost, stays below the pointer, and what it proved is in doubt") {
  ZonedDrive drive;
  REQUIRE(drive.write_zone(1, 0, 4) == Status::ok);
  REQUIRE(drive.write_zone(1, 4, 3) == Status::ok);
  store_as_lost(drive, place_of(drive, 6));
  drive.cut_now();
  CHECK(drive.pointer(1) == 7);
  const std::vector<ReadDoubt> said = drive.layer().in_doubt();
  REQUIRE(said.size() == 1);
  CHECK(said[0].blocks == HostRun{HostBlock(drive.block(1, 4)), 3 * blocks_per_sector});
  CHECK(founded_doubts(drive.bench().media(), said).size() == 1);
  CHECK(drive.read_zone(1, 0, 4) == Status::ok);
  CHECK(drive.read_zone(1, 4, 1) == Status::media_error);
}

TEST_CASE("of what is in doubt below a host that has blocks of its own the check is told by what lies there") {
  ZonedDrive drive;
  REQUIRE(drive.write_zone(1, 4, 1) == Status::unaligned_write);
  REQUIRE(drive.write_zone(1, 0, 4) == Status::ok);
  REQUIRE(drive.write_zone(1, 4, 3) == Status::ok);
  drive.bench().media().add_unreadable(place_of(drive, 6));
  drive.cut_now();
  const std::vector<ReadDoubt> said = drive.layer().in_doubt();
  REQUIRE(said.size() == 1);
  Scoreboard& board = drive.bench().scoreboard();
  tell_doubted(drive.bench().media(), said[0], board);
  for (std::uint64_t sector = 0; sector < 7; ++sector) {
    INFO("sector " << sector);
    CHECK(board.exempted({HostBlock(drive.block(1, sector)), blocks_per_sector}) == (sector >= 4));
  }
  CHECK(board.written(~std::uint32_t{0}).size() == 1);
}

TEST_CASE("a last sector that comes with a later read leaves no doubt") {
  ZonedDrive drive;
  REQUIRE(drive.write_zone(1, 0, 7) == Status::ok);
  drive.bench().media().add_transient(place_of(drive, 6), static_cast<std::uint32_t>(GENERATE(1, 30)));
  drive.cut_now();
  CHECK(drive.pointer(1) == 7);
  CHECK(drive.metric("zones.in_doubt") == 0);
  drive.check_content();
}

/// Whichever read it is that brings them: that of the track, or one of the search for the end of what cannot be read.
TEST_CASE("last sectors that come with a later read while the end is looked for are not taken for unwritten") {
  const auto first = static_cast<std::uint32_t>(GENERATE(4, 5, 6));
  for (std::uint32_t reads = 1; reads < 420; ++reads) {
    ZonedDrive drive;
    REQUIRE(drive.write_zone(1, 0, 7) == Status::ok);
    for (std::uint32_t sector = first; sector < 8; ++sector) drive.bench().media().add_transient(place_of(drive, sector), reads);
    drive.cut_now();
    INFO(first << " " << reads);
    REQUIRE(drive.pointer(1) >= 7);
    REQUIRE(drive.read_zone(1, 0, 4) == Status::ok);
    REQUIRE((drive.metric("zones.in_doubt") != 0 || drive.pointer(1) == 7));
  }
}

TEST_CASE("a sector that cannot be written makes its zone read only, and leaves what was written before") {
  ZonedSetup setup;
  ZonedDrive probe;
  const PhysicalSector bad = place_of(probe, 6);
  setup.bench.media.write_fault_sectors = {
      {static_cast<double>(bad.track.surface), static_cast<double>(bad.track.radius), static_cast<double>(bad.index)}};
  ZonedDrive drive(setup);
  REQUIRE(drive.write_zone(1, 0, 4) == Status::ok);
  drive.bench().submit(HostOp::write, drive.block(1, 4), 4 * 8);
  const HostRequest& behind = drive.bench().submit(HostOp::write, drive.block(1, 8), 8);
  drive.bench().run_until_all_done();
  CHECK_FALSE(ok(behind.status));
  CHECK(drive.condition(1) == ZoneCondition::read_only);
  CHECK(drive.write_zone(1, drive.pointer(1), 1) == Status::zone_read_only);
  CHECK(drive.read_zone(1, 0, 4) == Status::ok);
  CHECK(drive.write_zone(2, 0, 12) == Status::ok);
  drive.cut_now();
  CHECK(drive.condition(1) == ZoneCondition::read_only);
}
