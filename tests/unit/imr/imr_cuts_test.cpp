// Power cuts at every instant of moves of tracks.
#include "firmware/layers/layer_factories.hpp"
#include "imr_drive.hpp"

using namespace tessera;
using namespace tessera::test;

namespace {

using MakeFactory = std::unique_ptr<LayerFactory> (*)();

/// A drive on which `prepare` has just made a move begin.
template <class Prepare>
ImrDrive drive_in_a_move(MakeFactory make, const Parameters& parameters, const BenchConfig& config, Prepare prepare) {
  ImrDrive drive(make(), parameters, config);
  prepare(drive);
  drive->run_for(11_ms);
  return drive;
}

/// Cuts the power after each number of actions of a move, and goes on with more moves and another cut; then at instants so close
/// that each pair of sectors of its steps is hit: a turn of 16 sectors takes 10 ms. Gives how many actions the move has.
template <class Prepare>
std::uint64_t cut_everywhere(MakeFactory make, const Parameters& parameters, const BenchConfig& config, Prepare prepare) {
  std::uint64_t actions = 0;
  for (;; ++actions) {
    ImrDrive drive = drive_in_a_move(make, parameters, config, prepare);
    INFO("cut after " << actions << " actions");
    if (!drive->cut_after_actions(actions)) break;
    REQUIRE(drive->boot_status() == Status::ok);
    REQUIRE(drive.wrong_blocks() == 0);
    prepare(drive);
    drive->run_for(1_s);
    REQUIRE(drive.wrong_blocks() == 0);
    drive->cut_at(drive->now() + 1_ms);
    REQUIRE(drive.wrong_blocks() == 0);
  }
  for (std::uint64_t cut = 0; cut < 200; ++cut) {
    ImrDrive drive = drive_in_a_move(make, parameters, config, prepare);
    const Picoseconds after = Picoseconds(1'250'000'000) * cut + 100_us;
    INFO("cut after " << after.value() << " ps");
    drive->run_for(after);
    drive->cut_twice(cut * 37 % 90);  // also somewhere in the recovery
    REQUIRE(drive->boot_status() == Status::ok);
    REQUIRE(drive.wrong_blocks() == 0);
  }
  return actions;
}

BenchConfig drive_of(PowerfailSector sector) {
  BenchConfig config = small_drive();
  config.media.powerfail_sector = sector;
  return config;
}

/// Gives all sectors of the first tracks a content of their own, then writes one over and over until an interval is over.
void heat(ImrDrive& drive, std::uint64_t hot_sector) {
  for (std::uint64_t sector = 0; sector < 240; sector += 8) REQUIRE(drive->write(sector * 8, 64) == Status::ok);
  const double before = drive.metric("intervals.count");
  while (drive.metric("intervals.count") == before) REQUIRE(drive->write(hot_sector * 8, 8) == Status::ok);
}

}  // namespace

TEST_CASE("a cut at any instant of a flip loses nothing") {
  const double ratio = GENERATE(1.0, 0.75);
  const std::uint64_t hot_sector = 15 + (ratio == 1.0 ? 4 * 16 : 2 * (16 + 12));  // the last one of the third bottom
  const PowerfailSector sector = GENERATE(PowerfailSector::atomic_old, PowerfailSector::atomic_new);
  const Parameters parameters{{"update_frequency", 90}, {"log_records", 2}, {"top_ratio", ratio}};
  const auto prepare = [hot_sector](ImrDrive& drive) { heat(drive, hot_sector); };
  CHECK(cut_everywhere(make_imr_flip_factory, parameters, drive_of(sector), prepare) > 15);
}

TEST_CASE("a cut at any instant of an eviction and a promotion loses nothing") {
  const PowerfailSector sector = GENERATE(PowerfailSector::atomic_old, PowerfailSector::atomic_new);
  const Parameters parameters{{"update_frequency", 90}, {"log_records", 2}, {"cache_tracks", 1}, {"swap_hysteresis", 5}};
  const auto prepare = [](ImrDrive& drive) {
    heat(drive, 2 * 16 + 3);
    drive->run_for(2_s);
    heat(drive, 4 * 16 + 5);  // takes the slot of the track before
  };
  CHECK(cut_everywhere(make_imr_cache_factory, parameters, drive_of(sector), prepare) > 20);
}

TEST_CASE("a cut at any instant of a swap of pseudo-tracks loses nothing, also where the two are neighbours or straddle tracks") {
  const double ratio = GENERATE(1.0, 0.75);
  const std::uint64_t hot_sector = GENERATE(3U, 70U);  // on the first bottom, whose top is the coldest, and on others
  const PowerfailSector sector = GENERATE(PowerfailSector::atomic_old, PowerfailSector::atomic_new);
  const Parameters parameters{{"update_frequency", 90}, {"log_records", 2}, {"top_ratio", ratio}, {"swap_threshold", 20}};
  const auto prepare = [hot_sector](ImrDrive& drive) { heat(drive, hot_sector); };
  CHECK(cut_everywhere(make_imr_dtm_factory, parameters, drive_of(sector), prepare) > 15);
}
