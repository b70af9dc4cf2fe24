// Power cuts while sectors are moved, while the table is written, and in runs whose headers prove them whole.
#include <catch2/catch.hpp>

#include "firmware/defects/lost_sectors.hpp"
#include "firmware/layers/layer_factories.hpp"
#include "support/random_histories.hpp"
#include "unit/defects/defect_drive.hpp"
#include "unit/defects/turn_layer.hpp"

using namespace tessera;
using namespace tessera::literals;
using namespace tessera::test;

TEST_CASE("a cut at any instant while a late sector is moved loses nothing") {
  for (std::uint64_t actions = 0;; ++actions) {
    DefectDrive drive([](MediaConfig& media) { media.transient_sectors = {{0, 1, 4, 6}, {0, 1, 9, 5}}; });
    REQUIRE(drive.write(16, 16) == Status::ok);
    drive->submit(HostOp::read, 16 * blocks_per_sector, 16 * blocks_per_sector);
    const bool cut = drive->cut_after_actions(actions);
    INFO("cut after " << actions << " actions");
    REQUIRE(drive->boot_status() == Status::ok);
    REQUIRE(drive.read(16, 16) == Status::ok);
    REQUIRE(drive.wrong_blocks() == 0);
    if (!cut) {
      CHECK(actions > 20);
      break;
    }
  }
}

TEST_CASE("a cut at any instant while writes move sectors keeps what was acknowledged, also when recovery is cut") {
  for (std::uint64_t actions = 0;; ++actions) {
    DefectDrive drive([](MediaConfig& media) {
      media.unreadable_sectors = {{0, 1, 4}};
      media.write_fault_sectors = {{0, 1, 11}};
    });
    REQUIRE(drive.read(16, 16) == Status::media_error);
    HostRequest& first = drive->submit(HostOp::write, 16 * blocks_per_sector, 16 * blocks_per_sector);
    bool acknowledged = false;
    bool cut = true;
    for (std::uint64_t left = actions; left > 0 && cut; --left) {
      drive->timeline().step();
      acknowledged = FirmwareBench::done(first);
      cut = !acknowledged;
    }
    drive->cut_twice(actions % 12);
    INFO("cut after " << actions << " actions");
    REQUIRE(drive->boot_status() == Status::ok);
    if (acknowledged) REQUIRE(drive.read(16, 16) == Status::ok);
    REQUIRE(drive.wrong_blocks() == 0);
    REQUIRE(drive.write(16, 16) == Status::ok);  // goes well whatever the cut left
    REQUIRE(drive.read(16, 16) == Status::ok);
    REQUIRE(drive.defects("reallocated") == 2);
    drive->cut_now();
    REQUIRE(drive.read(16, 16) == Status::ok);
    REQUIRE(drive.wrong_blocks() == 0);
    if (!cut) {
      CHECK(actions > 20);
      break;
    }
  }
}

TEST_CASE("a header proves its run where sectors of it lie on spares or are moved while it is written") {
  // The bad sector at each place of the run, the last with the header too: written to a spare from the start, or found bad by the write.
  const std::uint32_t bad = GENERATE(0U, 3U, 4U, 7U);
  const bool known = GENERATE(true, false);
  const double sector = (12 + bad) % 16;
  for (std::uint64_t actions = 0;; ++actions) {
    BenchConfig config = drive_with([&](MediaConfig& media) { media.write_fault_sectors = {{0, 1, sector}}; });
    if (!known) config.media.write_fault_sectors = {{0, 0, sector}};
    TestDrive drive(std::make_unique<TurnFactory>(), {}, config);
    REQUIRE(drive->write(0, group_blocks) == Status::ok);  // number 1, at radius 1
    if (known) {
      REQUIRE(drive->write(0, group_blocks) == Status::ok);  // number 2, at radius 0
      REQUIRE(drive.metric("defects.reallocated") == 1);
    }
    drive->submit(HostOp::write, 0, group_blocks);
    const bool cut = drive->cut_after_actions(actions);
    INFO("cut after " << actions << " actions");
    REQUIRE(drive->boot_status() == Status::ok);
    REQUIRE(drive->read(0, group_blocks) == Status::ok);
    REQUIRE(drive->scoreboard().errors() == 0);
    if (!cut) break;
  }
}

TEST_CASE("the header of a run with a bad sector is on its last sector and nowhere else") {
  const std::uint32_t bad = GENERATE(0U, 3U, 4U, 7U);
  BenchConfig config = drive_with([&](MediaConfig& media) { media.write_fault_sectors = {{0, 1, double((12 + bad) % 16)}}; });
  TestDrive drive(std::make_unique<TurnFactory>(), {}, config);
  for (int write = 0; write < 3; ++write) REQUIRE(drive->write(0, group_blocks) == Status::ok);  // the third goes by way of the spare
  for (std::uint32_t offset = 0; offset < 7; ++offset) CHECK_FALSE(has_header(drive.bench(), {0, 1}, (12 + offset) % 16));
  CHECK(has_header(drive.bench(), {0, 1}, 3) == (bad != 7));
  CHECK(has_header(drive.bench(), {0, first_spare_radius}, 2) == (bad == 7));
}

TEST_CASE("a save that a cut tears leaves the one before it, also where one copy has no good place left") {
  const auto one_copy = [](MediaConfig& media) {
    media.write_fault_sectors = {{0, 1, 4}, {0, 2, 4}};
    media.unreadable_sectors = {{0, first_spare_radius, 0}, {0, first_spare_radius, 1}};
    media.powerfail_sector = PowerfailSector::corrupt;
  };
  for (std::uint64_t actions = 0;; ++actions) {
    DefectDrive drive(one_copy);
    REQUIRE(drive.write(16, 16) == Status::ok);
    drive->submit(HostOp::write, 32 * blocks_per_sector, 16 * blocks_per_sector);
    const bool cut = drive->cut_after_actions(actions);
    INFO("cut after " << actions << " actions");
    REQUIRE(drive->boot_status() == Status::ok);
    REQUIRE(drive.read(16, 16) == Status::ok);
    REQUIRE(drive->scoreboard().errors() == 0);
    if (!cut) break;
    // Between two actions of the timeline the head is in the middle of a sector, too.
    DefectDrive torn(one_copy);
    REQUIRE(torn.write(16, 16) == Status::ok);
    torn->submit(HostOp::write, 32 * blocks_per_sector, 16 * blocks_per_sector);
    for (std::uint64_t left = actions; left > 0; --left) torn->timeline().step();
    if (torn->timeline().empty() || torn->timeline().next() == torn->now()) continue;
    torn->cut_at(torn->timeline().next() - 1_ps);
    REQUIRE(torn->boot_status() == Status::ok);
    REQUIRE(torn.read(16, 16) == Status::ok);
  }
}

TEST_CASE("random faults and cuts: cmr returns what was acknowledged or says that it is lost") {
  const std::uint64_t seed = GENERATE(range(std::uint64_t{1}, std::uint64_t{13}));
  const bool journal = GENERATE(false, true);
  RandomStream random(seed, "defect histories");
  BenchConfig config = small_drive();
  config.seed = seed;
  config.media.spare_tracks = 8;
  config.media.transient_errors_per_million = 10'000;
  config.media.transient_error_reads = 8;
  config.media.write_faults_per_million = 5'000;
  config.media.servo_faults_per_million = 50'000;
  for (int i = 0; i < 6; ++i) {
    const double radius = pick(random, 0, 39);
    const double sector = pick(random, 0, 15);
    config.media.transient_sectors.push_back({0, radius, sector, double(pick(random, 1, 10))});
    if (radius < 32 && !journal) config.media.write_fault_sectors.push_back({0, double(pick(random, 0, 31)), sector});
    if (!journal) config.media.unreadable_sectors.push_back({0, double(pick(random, 0, 31)), double(pick(random, 0, 15))});
    if (!journal)
      config.media.grown_defects.push_back({0, double(pick(random, 0, 31)), double(pick(random, 0, 15)), double(pick(random, 0, 60'000))});
  }
  FirmwareConfig firmware;
  std::map<std::string, double> parameters;
  if (journal) {
    firmware.write_cache.capacity = Bytes(64 * 4096);
    firmware.write_cache.durability = CacheDurability::journal;
    parameters["journal_tracks"] = 2;
  }
  TestDrive drive(make_cmr_factory(), parameters, config, firmware);
  random_cuts(drive, random);
  CHECK(drive.metric("defects.read_only") == 0);
  CHECK(drive.metric("media.faults.transient") > 0);
}

TEST_CASE("where one sector of a run finds no spare, its header does not prove the run") {
  // Twelve spares: eight for what group 0 overwrites, four for group 1, whose fifth bad sector is not its last.
  BenchConfig config = drive_with([](MediaConfig& media) {
    media.spare_tracks = 1;
    for (const double sector : {12., 13., 14., 15., 0., 1., 2., 3.}) media.write_fault_sectors.push_back({0, 0, sector});
    for (const double sector : {12., 13., 14., 15., 1.}) media.write_fault_sectors.push_back({0, 2, sector});
  });
  TestDrive drive(std::make_unique<TurnFactory>(), {}, config);
  for (int write = 0; write < 2; ++write) REQUIRE(drive->write(0, group_blocks) == Status::ok);
  REQUIRE(drive->write(group_blocks, group_blocks) == Status::ok);
  REQUIRE(drive->write(group_blocks, group_blocks) == Status::read_only);
  drive->cut_now();
  REQUIRE(drive->boot_status() == Status::ok);
  CHECK(drive->read(group_blocks, group_blocks) == Status::ok);
  CHECK(drive->scoreboard().errors() == 0);
}

TEST_CASE("a late sector of which only the header was wanted is not moved: nobody has what else it holds") {
  TestDrive drive(std::make_unique<TurnFactory>(), {}, drive_with([](MediaConfig& media) { media.transient_sectors = {{0, 1, 3, 6}}; }));
  REQUIRE(drive->write(0, group_blocks) == Status::ok);
  drive->cut_now();  // the boot reads headers
  REQUIRE(drive->boot_status() == Status::ok);
  CHECK(drive.metric("defects.recovered") == 1);
  CHECK(drive.metric("defects.relocations") == 0);
  CHECK(drive->read(0, group_blocks) == Status::ok);
  CHECK(drive->scoreboard().errors() == 0);
}

TEST_CASE("a place of the table is read until it comes, and then it counts as lost") {
  DefectDrive drive([](MediaConfig& media) {
    media.write_fault_sectors = {{0, 1, 4}};
    media.unreadable_sectors = {{0, first_spare_radius, 0}};
  });
  REQUIRE(drive.write(16, 16) == Status::ok);
  drive->steps.clear();
  drive->cut_now();
  REQUIRE(drive->boot_status() == Status::ok);
  const PhysicalTrack first_copy{0, first_spare_radius};
  const auto reads =
      std::ranges::count_if(drive->steps, [&](const auto& step) { return step.run.track == first_copy && step.run.first == 0; });
  CHECK(reads == most_looks);
}
