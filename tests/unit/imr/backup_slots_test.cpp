// Several read-modify-writes at once: one backup slot each (Hajkazemi et al., section 2.1: "the number of simultaneous RMW operations
// allowed").
#include <numeric>

#include "firmware/layers/layer_factories.hpp"
#include "imr_drive.hpp"
#include "support/unreadable_sectors.hpp"

using namespace tessera;
using namespace tessera::test;

namespace {

/// 64 tracks, a seek of 1 ms a track, turns of 10 ms, the nearest command first. The backup region is at the inner end, so that the data of
/// a track lies on it whatever the number of slots is.
BenchConfig seeking_drive() {
  BenchConfig config = small_drive();
  config.media.tracks = 64;
  config.media.seek_curve = {{1, 1.0}, {63, 63.0}};
  config.controller.scheduling = SchedulingPolicy::shortest_positioning;
  return config;
}

constexpr double inner = 0;  // of backup_place

class SlotsDrive : public ImrDrive {
 public:
  explicit SlotsDrive(std::uint32_t slots, const Parameters& more = {}, const BenchConfig& config = seeking_drive())
      : ImrDrive(make_imr_rmw_factory(), with({{"backup_place", inner}, {"backup_slots", slots}}, more), config) {}

  HostRequest& begin(std::uint64_t track, std::uint64_t sector, std::uint32_t count = 1) {
    return bench().submit(HostOp::write, (track * track_sectors + sector) * blocks_per_sector, count * blocks_per_sector);
  }
  /// Radii of the backup region that were written since the last clear of the record, its first radius taken as 0.
  std::vector<std::uint32_t> backup_radii() {
    const auto region = std::ranges::find(plan(), "backup", &Region::name);
    std::vector<std::uint32_t> radii;
    for (const FirmwareBench::StepRecord& step : bench().steps_in("backup"))
      if (step.op == MediaOp::write) radii.push_back(step.run.track.radius - static_cast<std::uint32_t>(region->first));
    return radii;
  }
};

/// To the nearest microsecond: ideal electronics leave a few picoseconds.
std::uint64_t us(Picoseconds time) { return (time.value() + 500'000) / 1'000'000; }
std::uint64_t total(const HostRequest& request) { return us(request.life.total()); }
std::uint64_t part(const HostRequest& request, LifePhase phase) { return us(request.life.parts[static_cast<std::size_t>(phase)]); }

constexpr std::uint32_t tracks_of_slot = 3;  // two tops of 16 sectors and the newest record's track

}  // namespace

// A read-modify-write from afar takes its seek to T-1 and 55.625 ms: half a turn, a sector of 0.625 ms, five turns. The head is over 5,
// then over T+1. Of bottoms 20, 4 and 28, which come at once, 20 begins: 14 + 55.625 = 69.625 ms.
//   Next 4, 18 ms away: 73.625 more, 143.25; then 28, 22 ms away: 77.625 more, 220.875. Mean 433.75 / 3.
//   Next 28, 6 ms away: 61.625 more, 131.25; then 4, 26 ms away: 81.625 more, 212.875. Mean 413.75 / 3.
// With one slot the others wait for it. With two the disk channel has one to choose from while the first is under way; with three it has
// two.
TEST_CASE("imr-rmw: the disk channel chooses among the read-modify-writes that have a backup slot") {
  constexpr std::uint64_t first = 69'625;  // us, as all here
  struct Case {
    std::uint32_t slots;
    std::uint64_t of_4, of_28, sum;
    std::uint64_t waits_4, waits_28;  // for a slot
  };
  for (const Case& expected : {Case{1, 143'250, 220'875, 433'750, first, 143'250}, Case{2, 143'250, 220'875, 433'750, 0, first},
                               Case{3, 212'875, 131'250, 413'750, 0, 0}}) {
    INFO(expected.slots << " slots");
    SlotsDrive drive(expected.slots);
    REQUIRE(drive.write_sector(5) == Status::ok);
    const HostRequest& at_20 = drive.begin(20, 0);
    const HostRequest& at_4 = drive.begin(4, 0);
    const HostRequest& at_28 = drive.begin(28, 0);
    drive->run_until_all_done();
    CHECK(total(at_20) == first);
    CHECK(total(at_4) == expected.of_4);
    CHECK(total(at_28) == expected.of_28);
    CHECK(total(at_20) + total(at_4) + total(at_28) == expected.sum);

    CHECK(part(at_20, LifePhase::backup) == 0);
    CHECK(part(at_4, LifePhase::backup) == expected.waits_4);
    CHECK(part(at_28, LifePhase::backup) == expected.waits_28);
    // The rest of what is before its own time at the platters it waits at the disk channel.
    const bool last_is_4 = expected.of_4 > expected.of_28;
    CHECK(part(at_4, LifePhase::media_queue) == (last_is_4 ? expected.of_28 : first) - expected.waits_4);
    CHECK(part(at_28, LifePhase::media_queue) == (last_is_4 ? first : expected.of_4) - expected.waits_28);
    CHECK(part(at_4, LifePhase::lock) + part(at_28, LifePhase::lock) == 0);
    CHECK(drive.metric("backup.waits") == 3 - expected.slots);
    CHECK(drive.metric("gauge.backup.slots_used.peak") == expected.slots);
    CHECK(drive.metric("gauge.backup.slots_used.last") == 0);
    CHECK(drive.wrong_blocks() == 0);
  }
}

TEST_CASE("imr-rmw: a read-modify-write that meets another one waits for a lock, not for a backup slot") {
  SlotsDrive drive(3);
  drive.begin(20, 0);
  const HostRequest& beside = drive.begin(22, 0);  // both save sector 0 of 21
  drive->run_until_all_done();
  CHECK(part(beside, LifePhase::lock) > 0);
  CHECK(part(beside, LifePhase::backup) == 0);
  CHECK(drive.metric("gauge.backup.slots_used.peak") == 1);
}

TEST_CASE("imr-rmw: each backup slot has its own tracks, and the first free one is taken") {
  SlotsDrive drive(3);
  const auto region = std::ranges::find(drive.plan(), "backup", &Region::name);
  CHECK(region->count == 3 * tracks_of_slot);
  drive->steps.clear();
  for (const std::uint64_t track : {4, 20, 28}) drive.begin(track, 0);
  drive->run_until_all_done();
  std::vector<std::uint32_t> radii = drive.backup_radii();
  std::ranges::sort(radii);
  REQUIRE(radii.size() == 3);
  for (std::uint32_t slot = 0; slot < 3; ++slot) CHECK(radii[slot] / tracks_of_slot == slot);

  drive->steps.clear();
  for (const std::uint64_t track : {4, 20, 28}) REQUIRE(drive.write_sector(track) == Status::ok);
  for (const std::uint32_t radius : drive.backup_radii()) CHECK(radius / tracks_of_slot == 0);
}

TEST_CASE("imr-rmw: a slot of a drive with several surfaces has tracks of several surfaces") {
  BenchConfig config = seeking_drive();
  config.media.surfaces = 4;
  SlotsDrive drive(3, {}, config);
  const auto region = std::ranges::find(drive.plan(), "backup", &Region::name);
  CHECK(region->count == 3);  // nine tracks on four surfaces
  for (std::uint64_t track = 0; track < 64; ++track) drive.begin(track, track % 3, 8);
  drive->run_until_all_done();
  CHECK(drive.metric("gauge.backup.slots_used.peak") == 3);
  drive->cut_now();
  CHECK(drive.wrong_blocks() == 0);
}

TEST_CASE("imr-rmw: a write of a top voids the record of each backup slot that describes it") {
  SlotsDrive drive(2);
  drive.begin(4, 2);  // slot 0 saves 3 and 5
  drive.begin(8, 2);  // slot 1 saves 7 and 9
  drive->run_until_all_done();
  REQUIRE(drive.write_sector(6, 2) == Status::ok);  // slot 0 saves 5 and 7
  CHECK(drive.metric("backup.voids") == 0);
  REQUIRE(drive.write_sector(3, 2) == Status::ok);  // described no longer
  CHECK(drive.metric("backup.voids") == 0);
  REQUIRE(drive.write_sector(7, 2) == Status::ok);
  CHECK(drive.metric("backup.voids") == 2);
  for (const std::uint64_t track : {5, 7, 9}) REQUIRE(drive.write_sector(track, 2) == Status::ok);
  CHECK(drive.metric("backup.voids") == 2);
  drive->cut_now();
  CHECK(drive.wrong_blocks() == 0);
}

// Slot 0 has the record of an old version of 3, voided by a sector that a fault takes later; slot 1 that of the new version, which the cut
// finds destroyed. The record of slot 0 counts again, but what slot 1 restores first is there to be read.
TEST_CASE("imr-rmw: where the sector that voids an old record cannot be read, the newer record of another slot is applied first") {
  SlotsDrive drive(2);
  REQUIRE(drive.write_sector(4, 2) == Status::ok);  // slot 0 saves the old 3, then 5
  REQUIRE(drive.write_sector(5, 0) == Status::ok);
  drive->steps.clear();
  REQUIRE(drive.write_sector(3, 2) == Status::ok);
  REQUIRE(drive.metric("backup.voids") == 1);
  const PhysicalRun voided = drive->steps_in("backup").back().run;

  drive.begin(7, 0, 16);  // under way while the others come
  drive.begin(40, 2);     // gets slot 0, but waits at the disk channel
  drive.begin(2, 2);      // gets slot 1: saves 1 and the new 3; nearer
  const PhysicalRun bottom{{0, 2}, 2, 1};
  const auto writes_bottom = [&drive, &bottom] { return drive->steps.back().op == MediaOp::write && drive->steps.back().run == bottom; };
  while (!writes_bottom()) drive->run_for(100_us);
  drive->media().add_unreadable({voided.track, voided.first});
  drive->cut_at(drive->steps.back().timing.end + 1_ms);  // both tops are destroyed, none is written back
  CHECK(drive.wrong_blocks() == 0);
}

namespace {

/// Three read-modify-writes, two of which save sectors of one top, a direct write of another that an older record describes, and reads.
void begin_all(SlotsDrive& drive) {
  drive.begin(4, 0, 6);
  drive.begin(6, 6, 6);
  drive.begin(8, 2, 4);
  drive.begin(5, 12, 2);
  drive->submit(HostOp::read, 7 * track_sectors * blocks_per_sector, track_sectors * blocks_per_sector);
  drive.begin(10, 3, 5);
}

}  // namespace

TEST_CASE("imr-rmw: a cut at any instant of several read-modify-writes loses nothing, the boot may be cut too") {
  const std::uint32_t slots = GENERATE(2U, 3U);
  const double early = GENERATE(0.0, 1.0);
  const PowerfailSector sector = GENERATE(PowerfailSector::atomic_old, PowerfailSector::atomic_new);
  BenchConfig config = seeking_drive();
  config.media.timing = MediaTimingMode::rotational;
  config.media.powerfail_sector = sector;
  for (std::uint64_t instant = 0; instant < 120; ++instant) {
    INFO(slots << " slots, instant " << instant);
    SlotsDrive drive(slots, {{"ack_early", early}}, config);
    for (std::uint64_t track = 3; track < 12; track += 2) REQUIRE(drive.write_sector(track, 0, 16) == Status::ok);
    drive.begin(4, 10, 6);  // records for both slots
    drive.begin(8, 10, 6);
    drive->run_until_all_done();
    begin_all(drive);
    drive->run_for(3_ms * instant);
    drive->cut_twice(instant * 37 % 90);
    REQUIRE(drive->boot_status() == Status::ok);
    REQUIRE(drive.wrong_blocks() == 0);
    begin_all(drive);
    drive->run_for(40_ms);
    drive->cut_now();
    REQUIRE(drive.wrong_blocks() == 0);
  }
}

TEST_CASE("imr-rmw: one unreadable sector costs that sector alone with several backup slots") {
  one_unreadable_sector(
      [] {
        BenchConfig config = seeking_drive();
        config.media.tracks = 40;
        return std::make_unique<SlotsDrive>(3, Parameters{}, config);
      },
      {.longest = 200, .cuts = 2, .requests = 20});
}
