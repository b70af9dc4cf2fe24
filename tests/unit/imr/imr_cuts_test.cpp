// Power cuts at every instant of moves of tracks.
#include "firmware/layers/imr_cache.hpp"
#include "firmware/layers/imr_dtm.hpp"
#include "firmware/layers/imr_flip.hpp"
#include "imr_drive.hpp"

using namespace tessera;
using namespace tessera::test;

namespace {

using MakeFactory = std::unique_ptr<LayerFactory> (*)();

/// Runs `prepare`, which ends with moves planned, cuts the power after each possible number of actions of the moves, and
/// checks the content; then goes on and checks it again. Gives how many instants were tried.
template <class Prepare>
std::uint64_t cut_everywhere(MakeFactory make, const Parameters& parameters, const BenchConfig& config, Prepare prepare) {
  for (std::uint64_t actions = 0;; ++actions) {
    ImrDrive drive(make(), parameters, config);
    prepare(drive);
    drive->run_for(6_ms);  // moves have begun
    const bool cut = drive->cut_after_actions(actions);
    INFO("cut after " << actions << " actions");
    REQUIRE(drive->boot_status() == Status::ok);
    REQUIRE(drive.wrong_blocks() == 0);
    if (!cut) return actions;
    prepare(drive);
    drive->run_for(1_s);
    REQUIRE(drive.wrong_blocks() == 0);
    drive->cut_at(drive->now() + 1_ms);
    REQUIRE(drive.wrong_blocks() == 0);
  }
}

BenchConfig drive_of(PowerfailSector sector) {
  BenchConfig config = small_drive();
  config.media.powerfail_sector = sector;
  return config;
}

/// Gives all sectors of the first tracks a content of their own, then writes one over and over until an interval is over.
void heat(ImrDrive& drive, std::uint64_t hot_sector) {
  for (std::uint64_t sector = 0; sector < 112; sector += 8) REQUIRE(drive->write(sector * 8, 64) == Status::ok);
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
