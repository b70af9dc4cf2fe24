// The log of packets as the layer `tessera` has it: what stays there although it is the oldest, and what is cleaned ahead.
#include "media_cache_drive.hpp"
#include "support/cut_everywhere.hpp"

using namespace tessera;
using namespace tessera::test;
using namespace tessera::literals;

namespace {

/// A log of 25 tracks of eight sectors, of which 136 may be in use, in front of full bands of 24.
MediaCacheSetup log_that_moves(std::uint32_t stay_mark = 50) {
  MediaCacheSetup setup;
  setup.layer.cache = sectors(192);
  setup.layer.map_entries = 256;
  setup.layer.checkpoint_every = 1000;
  setup.layer.bands_a_cleaning = 1;
  setup.layer.stream = Bytes(0);
  setup.layer.stay_mark = stay_mark;
  setup.bench.media.tracks = 200;
  setup.prefilled = 480;
  return setup;
}

/// One sector of band 5, and behind it the same six of band 4 until the log is full: seven of 142 sectors in use are needed.
void overwrite_until_full(MediaCacheDrive& drive) {
  drive.write(drive.at(5, 9));
  for (int i = 0; i < 20; ++i) drive.write(drive.at(4, 0), 6);
}

bool cached(MediaCacheDrive& drive, std::uint64_t sector) {
  std::vector<media_cache::Extent> found;
  drive.layer().map().find(drive.layer().bands().band_of(LogicalSector(sector)).number, {LogicalSector(sector), 1}, found);
  return !found.empty();
}

}  // namespace

TEST_CASE("where little of a full log is needed its oldest goes to the head, and no band is merged") {
  MediaCacheDrive drive(log_that_moves());
  overwrite_until_full(drive);
  REQUIRE(drive.metric("packet.moves") == 0);
  drive.bench().steps.clear();
  drive.write(drive.at(3, 3));
  CHECK(drive.metric("packet.moves") == 1);
  CHECK(drive.metric("packet.moved") == 7);  // both, in one packet
  CHECK(drive.metric("rmw.count") == 0);
  CHECK(drive.metric("cleaning.count") == 0);
  CHECK(cached(drive, drive.at(5, 9)));
  CHECK(drive.bench().sectors_in("cache", MediaOp::read) == 7);
  CHECK(drive.bench().sectors_in("cache", MediaOp::write) == 7 + 1 + 1 + 1);
  CHECK(drive.bench().sectors_in("data", MediaOp::write) == 0);
  drive.check_content();
  drive.cut_now();
  drive.check_content();
}

TEST_CASE("a log in which nothing stays has the band of its oldest merged") {
  MediaCacheDrive drive(log_that_moves(0));
  overwrite_until_full(drive);
  drive.write(drive.at(3, 3));
  CHECK(drive.metric("rmw.count") > 0);
  CHECK_FALSE(cached(drive, drive.at(5, 9)));
}

TEST_CASE("where most of the log is needed what a band has little of stays, and the band that has more is merged") {
  MediaCacheDrive drive(log_that_moves());
  drive.write(drive.at(5, 9));
  for (std::uint64_t band = 0; band < 5; ++band) drive.write(drive.at(band), 24);  // 121 of 137 sectors in use are needed
  drive.write(drive.at(6));
  CHECK(drive.metric("packet.moved") == 1);
  CHECK(drive.metric("rmw.count") == 1);
  CHECK(cached(drive, drive.at(5, 9)));
  CHECK_FALSE(cached(drive, drive.at(0)));
  CHECK(cached(drive, drive.at(1)));
  drive.check_content();
}

TEST_CASE("a band that has less in the log than the mean of all there stays, one that has as much is merged") {
  const std::uint32_t held = GENERATE(23, 24);
  MediaCacheDrive drive(log_that_moves());
  drive.write(drive.at(5), held);
  for (const std::uint64_t band : {0, 1, 2, 2}) drive.write(drive.at(band), 24);  // the mean is 23.75, or 24
  for (int i = 0; i < 3; ++i) drive.write(drive.at(2));
  CHECK(drive.metric("packet.moved") == (held == 23 ? 23 : 0));
  CHECK(cached(drive, drive.at(5)) == (held == 23));
  CHECK(drive.metric("rmw.count") == 1);
  drive.check_content();
}

TEST_CASE("a cleaning of two bands ends behind the first where the next one stays") {
  const std::uint32_t held = GENERATE(1, 24);
  MediaCacheSetup setup = log_that_moves();
  setup.layer.bands_a_cleaning = 2;
  MediaCacheDrive drive(setup);
  drive.write(drive.at(0), 24);
  drive.write(drive.at(5), held);
  for (std::uint64_t band = 1; band < 4; ++band) drive.write(drive.at(band), 24);
  for (int i = 0; i < 3; ++i) drive.write(drive.at(4), 8);
  while (drive.metric("rmw.count") == 0) drive.write(drive.at(6));
  CHECK(drive.metric("cleaning.count") == 1);
  CHECK(drive.metric("rmw.count") == (held == 1 ? 1 : 2));
  CHECK(cached(drive, drive.at(5)) == (held == 1));
  drive.check_content();
}

TEST_CASE("a full map is no reason to move anything") {
  MediaCacheSetup setup = log_that_moves();
  setup.layer.map_entries = 64;
  MediaCacheDrive drive(setup);
  for (std::uint64_t i = 0; i < 40; ++i) drive.write(drive.at(i % 8, 2 * (i / 8)));
  CHECK(drive.metric("packet.moves") == 0);
  CHECK(drive.metric("rmw.count") > 0);
}

TEST_CASE("what is alone in the log is merged in idle time, and not moved round and round") {
  MediaCacheSetup setup = log_that_moves();
  setup.layer.idle_cleaning = media_cache::IdleCleaning::on;
  setup.layer.idle_after = 1_ms;
  MediaCacheDrive drive(setup);
  drive.write(drive.at(5, 9));
  drive.bench().run_for(10_s);
  CHECK(drive.metric("packet.moves") == 0);
  CHECK(drive.metric("rmw.count") == 1);
}

TEST_CASE("a cut at any instant of a move loses nothing, nor does one later on") {
  const auto begin = [](MediaCacheDrive& drive) {
    overwrite_until_full(drive);
    drive.bench().submit(HostOp::write, drive.at(4, 2) * 8, 8);
  };
  const auto go_on = [](MediaCacheDrive& drive) {
    for (const auto& [band, first] : {std::pair{5, 8}, {4, 3}, {0, 0}})
      drive.write(drive.at(static_cast<std::uint64_t>(band), static_cast<std::uint64_t>(first)), 2);
  };
  CHECK(cut_everywhere<MediaCacheDrive>(log_that_moves(), begin, go_on) > 6);
}

TEST_CASE("bands are cleaned ahead above the mark, though the host gives no time and the log is not full") {
  MediaCacheSetup setup = log_that_moves(0);
  setup.layer.clean_mark = GENERATE(30, 100);
  MediaCacheDrive drive(setup);
  for (std::uint64_t band = 0; band < 3; ++band) drive.write(drive.at(band), 24);  // 81 of 200
  drive.bench().run_for(10_s);
  CHECK(drive.metric("rmw.count") == (setup.layer.clean_mark == 30 ? 1 : 0));  // 54 are less than 30 %
  CHECK(drive.metric("cleaning.idle") == 0);
  drive.check_content();
}
