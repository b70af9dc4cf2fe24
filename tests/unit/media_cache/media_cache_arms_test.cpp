// media-cache on two arms: the band that goes first, and the arm that a merged band keeps.
#include "media_cache_drive.hpp"
#include "support/cut_everywhere.hpp"

using namespace tessera;
using namespace tessera::test;
using namespace tessera::media_cache;
using namespace tessera::literals;

namespace {

/// Even bands are on arm 0, odd ones on arm 1.
MediaCacheSetup two_arms(CleaningArm where, MergeTo to = MergeTo::place) {
  MediaCacheSetup setup = one_band_cleanings();
  setup.cleaning = where;
  setup.layer.merge_to = to;
  setup.bench.media.surfaces = 2;
  setup.bench.media.actuators = 2;
  setup.bench.ideal_electronics();
  return setup;
}

bool cached(MediaCacheDrive& drive, std::uint64_t band) {
  std::vector<Extent> found;
  drive.layer().map().find(band, {LogicalSector(drive.at(band)), static_cast<std::uint32_t>(drive.band_sectors())}, found);
  return !found.empty();
}

/// Of bands 4 and 5, in this order in the log, those that a cleaning takes while the host reads `busy`.
std::vector<std::uint64_t> cleaned_beside(CleaningArm where, std::uint64_t busy) {
  MediaCacheDrive drive(two_arms(where));
  drive.write(drive.at(4, 3));
  drive.write(drive.at(5, 3));
  fill_map(drive, 2);
  for (std::uint64_t i = 0; i < 6; ++i) drive.bench().submit(HostOp::read, drive.at(busy, 3 * i) * 8, 8);
  drive.bench().submit(HostOp::write, drive.at(0) * 8, 8);
  drive.bench().run_until_all_done();
  CHECK(drive.metric("rmw.count") == 1);
  std::vector<std::uint64_t> gone;
  for (const std::uint64_t band : {4U, 5U})
    if (!cached(drive, band)) gone.push_back(band);
  drive.check_content();
  return gone;
}

std::uint32_t surface_of(MediaCacheDrive& drive, std::uint64_t band) {
  return drive.layer().bands().place({LogicalSector(drive.at(band)), 1}).track.surface;
}

using Bands = std::vector<std::uint64_t>;

}  // namespace

TEST_CASE("media-cache: the band of the next extent on the arm that serves the host less goes before the oldest") {
  CHECK(cleaned_beside(CleaningArm::any, 2) == Bands{4});
  CHECK(cleaned_beside(CleaningArm::idle, 2) == Bands{5});  // arm 0 reads
  CHECK(cleaned_beside(CleaningArm::idle, 3) == Bands{4});  // arm 1 reads
}

TEST_CASE("media-cache: the oldest band is passed over three times at most") {
  MediaCacheDrive drive(two_arms(CleaningArm::idle));
  drive.write(drive.at(4, 3));
  fill_map(drive, 1);
  for (int cleaning = 1; cleaning <= 4; ++cleaning) {
    REQUIRE(cached(drive, 4));
    for (std::uint64_t i = 0; i < 6; ++i) drive.bench().submit(HostOp::read, drive.at(2, 3 * i) * 8, 8);
    for (std::uint64_t i = 0; drive.metric("rmw.count") < cleaning; ++i) {
      drive.bench().submit(HostOp::write, drive.at(14 + 2 * static_cast<std::uint64_t>(cleaning), i) * 8, 8);
      drive.bench().run_until_all_done();
      REQUIRE(i < 20);
      for (std::uint64_t k = 0; k < 6; ++k) drive.bench().submit(HostOp::read, drive.at(2, 3 * k) * 8, 8);
    }
    drive.bench().run_until_all_done();
  }
  CHECK_FALSE(cached(drive, 4));
  drive.check_content();
}

TEST_CASE("media-cache: a band that is merged to a spare one stays on its arm where cleaning keeps to one") {
  MediaCacheSetup setup = two_arms(CleaningArm::idle, MergeTo::spare);
  setup.bench.media.tracks = 600;  // a region with two spare bands
  MediaCacheDrive drive(setup);
  std::vector<std::uint32_t> before;
  for (std::uint64_t band = 0; band < 16; ++band) before.push_back(surface_of(drive, band));
  for (std::uint64_t i = 0; i < 120; ++i) drive.write(drive.at(i * 7 % 16, i % 20));
  REQUIRE(drive.metric("rmw.count") > 4);
  for (std::uint64_t band = 0; band < 16; ++band) CHECK(surface_of(drive, band) == before[band]);
  drive.cut_now();
  drive.check_content();
}

TEST_CASE("media-cache: cuts throughout a cleaning on the idle arm lose nothing") {
  const MediaCacheSetup setup = two_arms(CleaningArm::idle, GENERATE(MergeTo::place, MergeTo::spare));
  const auto begin = [](MediaCacheDrive& drive) {
    drive.write(drive.at(4, 3));
    drive.write(drive.at(5, 3));
    fill_map(drive, 2);
    for (std::uint64_t i = 0; i < 6; ++i) drive.bench().submit(HostOp::read, drive.at(2, 3 * i) * 8, 8);
    drive.bench().submit(HostOp::write, drive.at(0) * 8, 8);
  };
  const auto go_on = [](MediaCacheDrive& drive) {
    for (std::uint64_t i = 0; i < 40; ++i) drive.write(drive.at(i % 9, i % 16));
  };
  CHECK(cut_everywhere<MediaCacheDrive>(setup, begin, go_on) > 20);
}
