// Several updates at once: one backup slot each.
#include "firmware/backup/backup_region.hpp"
#include "static_drive.hpp"

using namespace tessera;
using namespace tessera::literals;
using namespace tessera::test;

namespace {

constexpr std::uint32_t random_access = 34;  // 17 tracks to use, one of them for the log
constexpr std::uint32_t bands = 10;

/// Seeks of 1 ms a track, turns of 10 ms, the nearest command first.
BenchConfig seeking_drive() {
  BenchConfig config = small_drive();
  config.media.tracks = random_access + bands * stride;
  constexpr double farthest = random_access + bands * stride - 1;
  config.media.seek_curve = {{1, 1.0}, {farthest, farthest}};
  config.controller.scheduling = SchedulingPolicy::shortest_positioning;
  return config;
}

/// Full of data.
class SlotsDrive : public StaticDrive {
 public:
  explicit SlotsDrive(std::uint32_t slots, const BenchConfig& config = seeking_drive(), double paper = 0)
      : StaticDrive(Scheme::s1234, config, {{"backup_slots", slots}, {"raz_tracks", random_access}, {"paper", paper}}, 4 * bands),
        slots_(slots) {}

  HostRequest& begin(std::uint64_t track, std::uint64_t sector, std::uint32_t count = 1) {
    return bench().submit(HostOp::write, block(track, sector), count * blocks_per_sector);
  }
  /// The slots that were written since the last clear of the record.
  std::vector<std::uint32_t> slots_written() {
    const auto region = std::ranges::find(plan(), "backup", &Region::name);
    std::vector<std::uint32_t> slots;
    for (const FirmwareBench::StepRecord& step : bench().steps_in("backup")) {
      const std::uint64_t track = step.run.track.radius - region->first;
      std::uint32_t slot = 0;
      while (track >= region->count * (slot + 1) / slots_) ++slot;
      slots.push_back(slot);
    }
    return slots;
  }

 private:
  std::uint32_t slots_;
};

/// To the nearest microsecond: ideal electronics leave a few picoseconds.
std::uint64_t us(Picoseconds time) { return (time.value() + 500'000) / 1'000'000; }
std::uint64_t total(const HostRequest& request) { return us(request.life.total()); }
std::uint64_t part(const HostRequest& request, LifePhase phase) { return us(request.life.parts[static_cast<std::size_t>(phase)]); }

using Slots = std::vector<std::uint32_t>;

}  // namespace

// An update of the third track of a band takes its seek to the fourth and 35.625 ms: half a turn, a sector of 0.625 ms, three turns. The
// head is over band 0. Of updates in bands 6, 0 and 9, which come at once, that in 6 begins: 30 + 35.625 = 65.625 ms.
//   Next band 0, 30 ms away: 65.625 more, 131.25; then 9, 45 ms away: 80.625 more, 211.875. Together 408.75.
//   Next band 9, 15 ms away: 50.625 more, 116.25; then 0, 45 ms away: 80.625 more, 196.875. Together 378.75.
TEST_CASE("static mappings: the disk channel chooses among the updates that have a backup slot") {
  for (const double paper : {0.0, 1.0}) {  // as the paper has it the slots are staging buffers, and a turn less is taken
    for (const std::uint32_t slots : {1U, 2U, 3U}) {
      INFO(slots << " slots, paper = " << paper);
      SlotsDrive drive(slots, seeking_drive(), paper);
      const std::uint64_t saved = paper == 0 ? 0 : 10'000;  // us, as all here
      const std::uint64_t first = 65'625 - saved;
      REQUIRE(drive.write_sectors(3, 0, 1) == Status::ok);
      const HostRequest& in_6 = drive.begin(26, 0);
      const HostRequest& in_0 = drive.begin(2, 0);
      const HostRequest& in_9 = drive.begin(38, 0);
      drive->run_until_all_done();
      CHECK(total(in_6) == first);
      CHECK(total(in_0) == (slots < 3 ? 131'250 - 2 * saved : 196'875 - 3 * saved));
      CHECK(total(in_9) == (slots < 3 ? 211'875 - 3 * saved : 116'250 - 2 * saved));
      CHECK(part(in_0, LifePhase::backup) == (slots == 1 ? first : 0));
      CHECK(part(in_9, LifePhase::backup) == (slots == 1 ? 131'250 - 2 * saved : slots == 2 ? first : 0));
      CHECK(part(in_0, LifePhase::lock) + part(in_9, LifePhase::lock) == 0);
      CHECK(drive.metric("backup.waits") == 3 - slots);
      CHECK(drive.metric("gauge.backup.slots_used.peak") == slots);
      CHECK(drive.wrong_blocks() == 0);
    }
  }
}

TEST_CASE("static mappings: an update supersedes the record that it makes stale, and voids those of further slots") {
  SlotsDrive drive(2);
  drive->steps.clear();
  drive.begin(0, 2);  // slot 0 saves tracks 1 to 3
  drive.begin(4, 2);  // slot 1 saves tracks 5 to 7
  drive->run_until_all_done();
  CHECK(drive.slots_written() == Slots{0, 1});

  drive->steps.clear();
  REQUIRE(drive.write_sectors(5, 2, 1) == Status::ok);  // slot 1 again: tracks 6 and 7
  CHECK(drive.slots_written() == Slots{1});
  CHECK(drive.metric("backup.voids") == 0);

  drive->steps.clear();
  REQUIRE(drive.write_sectors(4, 6, 1) == Status::ok);  // slot 0: tracks 5 to 7, other sectors
  CHECK(drive.slots_written() == Slots{0});
  CHECK(drive.metric("backup.voids") == 0);

  drive->steps.clear();
  REQUIRE(drive.write_sectors(6, 0, 8) == Status::ok);  // both describe some of them
  CHECK(drive.slots_written() == Slots{1, 0});
  CHECK(drive.metric("backup.voids") == 1);
  drive->cut_now();
  CHECK(drive.wrong_blocks() == 0);
}

TEST_CASE("static mappings: an update that waits for its own slot keeps no other from taking a free one") {
  SlotsDrive drive(2);
  drive.begin(0, 2);
  drive.begin(4, 2);  // slot 1 saves tracks 5 to 7
  drive->run_until_all_done();
  drive.begin(8, 2);                            // slot 0
  drive.begin(12, 2);                           // slot 1
  const HostRequest& own = drive.begin(5, 2);   // is to supersede the record of slot 1
  const HostRequest& any = drive.begin(16, 2);  // takes slot 0 as soon as it is free
  drive->run_until_all_done();
  CHECK(part(any, LifePhase::backup) < part(own, LifePhase::backup));
  CHECK(drive.wrong_blocks() == 0);
}

TEST_CASE("static mappings: a cut at any instant of several updates loses nothing, the boot may be cut too") {
  const std::uint32_t slots = GENERATE(2U, 3U);
  const PowerfailSector sector = GENERATE(PowerfailSector::atomic_old, PowerfailSector::atomic_new);
  BenchConfig config = seeking_drive();
  config.media.timing = MediaTimingMode::rotational;
  config.media.powerfail_sector = sector;
  for (std::uint64_t instant = 0; instant < 120; ++instant) {
    INFO(slots << " slots, instant " << instant);
    SlotsDrive drive(slots, config);
    drive.fill(8);
    drive.begin(0, 8, 8);
    drive.begin(4, 8, 8);
    drive->run_until_all_done();
    const auto begin_all = [&drive] {
      drive.begin(0, 0, 6);
      drive.begin(1, 6, 6);
      drive.begin(5, 4, 8);
      drive.begin(7, 0, 3);
      drive.begin(2, 12, 4);
    };
    begin_all();
    drive->run_for(4_ms * instant);
    drive->cut_twice(instant * 37 % 90);
    REQUIRE(drive->boot_status() == Status::ok);
    REQUIRE(drive.wrong_blocks() == 0);
    begin_all();
    drive->run_for(60_ms);
    drive->cut_now();
    REQUIRE(drive.wrong_blocks() == 0);
  }
}

TEST_CASE("a backup slot has a track more than its longest record, and three at least") {
  const DriveGeometry geometry{.surfaces = 2, .zones = {{.radii = 100, .sectors_per_track = 8}}};
  CHECK(BackupRegion::radii_needed(geometry, 0, {.slots = 4, .sectors = 8}) == 6);
  CHECK(BackupRegion::radii_needed(geometry, 0, {.slots = 4, .sectors = 16}) == 6);
  CHECK(BackupRegion::radii_needed(geometry, 0, {.slots = 4, .sectors = 17}) == 8);
  CHECK(BackupRegion::radii_needed(geometry, 0, {.slots = 1, .sectors = 32}) == 3);
}
