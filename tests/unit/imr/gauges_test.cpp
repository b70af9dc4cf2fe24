// What the interlaced layers publish of their state.
#include "firmware/layers/layer_factories.hpp"
#include "imr_drive.hpp"

using namespace tessera;
using namespace tessera::test;

namespace {

double gauge(TestDrive& drive, const std::string& name) { return drive.metric("gauge." + name + ".last"); }
double peak(TestDrive& drive, const std::string& name) { return drive.metric("gauge." + name + ".peak"); }

/// Gives all moves of a hot track time.
void heat(ImrDrive& drive, std::uint64_t track) {
  drive.interval({{track, 150}});
  drive.pause();
}

const Parameters short_intervals{{"update_frequency", 150}, {"log_records", 8}};

}  // namespace

// Radii 0 to 13 and 17 to 31 are data, with seven tops each.
TEST_CASE("imr-rmw: the gauge of written tops counts each top once, and all of them behind a power cut") {
  TestDrive drive(make_imr_rmw_factory(), {{"backup_slots", 1}});
  const auto write = [&drive](std::uint64_t track) { return drive->write(track * track_sectors * blocks_per_sector, blocks_per_sector); };
  CHECK(gauge(drive, "tops.written") == 0);
  for (const auto& [track, tops] : {std::pair(3, 1), std::pair(3, 1), std::pair(4, 1), std::pair(5, 2)}) {
    REQUIRE(write(static_cast<std::uint64_t>(track)) == Status::ok);
    CHECK(gauge(drive, "tops.written") == tops);
  }
  drive->cut_now();
  CHECK(gauge(drive, "tops.written") == 14);

  TestDrive prefilled(make_imr_rmw_factory(), {{"backup_slots", 1}}, small_drive(), {}, 6 * track_sectors);
  CHECK(gauge(prefilled, "tops.written") == 3);
}

TEST_CASE("imr-flip: gauges of moves under way, hot tracks and tracks away from home") {
  ImrDrive drive(make_imr_flip_factory(), short_intervals);
  heat(drive, 4);
  CHECK(gauge(drive, "tracks.away") == 2);
  CHECK(gauge(drive, "tracks.hot") == 1);
  CHECK(gauge(drive, "moves.under_way") == 0);
  CHECK(peak(drive, "moves.under_way") == 1);
  drive->cut_now();
  CHECK(gauge(drive, "tracks.away") == 2);  // from the log
  heat(drive, 3);                           // its partner: back
  CHECK(gauge(drive, "tracks.away") == 0);
}

TEST_CASE("imr-cache: the gauge of tracks away from home is the fill of the cache, kept over a power cut") {
  const std::uint32_t log_records = GENERATE(8U, 1U);  // from the log's records, or from a checkpoint
  ImrDrive drive(make_imr_cache_factory(), with(short_intervals, {{"cache_tracks", 2}, {"log_records", log_records}}));
  CHECK(gauge(drive, "tracks.away") == 0);
  heat(drive, 2);
  CHECK(gauge(drive, "tracks.away") == 1);
  heat(drive, 4);
  CHECK(gauge(drive, "tracks.away") == 2);
  heat(drive, 6);  // in the place of another
  CHECK(gauge(drive, "tracks.away") == 2);
  CHECK(peak(drive, "tracks.away") == 2);
  drive->cut_now();
  CHECK(gauge(drive, "tracks.away") == 2);
}

TEST_CASE("imr-dtm: the gauge of tracks away from home counts both of a swap, kept over a power cut") {
  const std::uint32_t log_records = GENERATE(8U, 1U);
  ImrDrive drive(make_imr_dtm_factory(), with(short_intervals, {{"log_records", log_records}}));
  heat(drive, 2);
  CHECK(gauge(drive, "tracks.away") == 2);
  heat(drive, 6);  // and one of the two before
  CHECK(gauge(drive, "tracks.away") == 3);
  drive->cut_now();
  CHECK(gauge(drive, "tracks.away") == 3);
}
