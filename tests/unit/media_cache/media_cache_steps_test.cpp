// media-cache: merges in steps, between which the host gets in, and what synced writes take of the log.
#include "cached_drive.hpp"
#include "firmware/layers/media_cache/room_on_credit.hpp"
#include "support/cut_everywhere.hpp"

using namespace tessera;
using namespace tessera::test;
using namespace tessera::literals;
using media_cache::RoomOnCredit;

namespace {

MediaCacheSetup in_steps() {
  MediaCacheSetup setup = one_band_cleanings();
  setup.layer.merge_step = 1_ms;
  setup.layer.collect_order = media_cache::CollectOrder::band;
  return setup;
}

/// What the host wrote to the later tracks of the bands, and an idle drive has brought home: behind what a first phase writes.
MediaCacheSetup home_in_idle_time() {
  MediaCacheSetup setup = in_steps();
  setup.layer.idle_cleaning = media_cache::IdleCleaning::on;
  setup.layer.idle_after = 2_s;
  return setup;
}

void write_later_tracks(MediaCacheDrive& drive) {
  for (std::uint64_t band = 0; band < 6; ++band) {
    drive.write(drive.at(band, 12), 2);
    drive.write(drive.at(band, 20), 2);
  }
  drive.bench().run_for(20_s);
}

}  // namespace

TEST_CASE("a write gets in after a step of a merge, and waits for all of it where there are no steps") {
  MediaCacheSetup setup = in_steps();
  const bool steps = GENERATE(true, false);
  if (!steps) setup.layer.merge_step = Picoseconds(0);
  MediaCacheDrive drive(setup);
  for (std::uint64_t i = 0; i < 8; ++i) drive.write(drive.at(5, 3 * i));
  fill_map(drive, 8);
  drive.write(drive.at(0, 0));
  CHECK(drive.metric("rmw.count") == (steps ? 0 : 1));
  if (steps) CHECK(drive.metric("merge.steps") >= 1);
  drive.bench().run_for(5_s);
  CHECK(drive.metric("rmw.count") == 1);
  drive.check_content();
}

TEST_CASE("what is written to a band while it is merged stays in the log") {
  MediaCacheDrive drive(in_steps());
  for (std::uint64_t i = 0; i < 8; ++i) drive.write(drive.at(5, 3 * i));
  fill_map(drive, 8);
  drive.write(drive.at(5, 0));  // its old place is about to be merged
  REQUIRE(drive.metric("rmw.count") == 0);
  drive.bench().run_for(5_s);
  REQUIRE(drive.metric("rmw.count") == 1);
  std::vector<media_cache::Extent> found;
  drive.layer().map().find(5, {LogicalSector(drive.at(5)), 24}, found);
  REQUIRE(found.size() == 1);
  CHECK(found.front().first == LogicalSector(drive.at(5)));
  drive.check_content();
}

TEST_CASE("each phase of a merge in steps goes home before the next is read, and what it destroys is in its copy") {
  MediaCacheDrive drive(in_steps());
  drive.write(drive.at(5, 2));
  fill_map(drive, 1);
  drive.bench().steps.clear();
  drive.write(drive.at(0, 0));
  drive.bench().run_for(5_s);
  CHECK(drive.metric("merge.phases") == 2);  // tracks 1 and 2, of which 2 is kept, then 2 and 3
  CHECK(drive.bench().sectors_in("data", MediaOp::read) == 24);
  CHECK(drive.bench().sectors_in("merge", MediaOp::write) == 16 + 16 + 2 * 2);
  CHECK(drive.bench().sectors_in("merge", MediaOp::read) == 0);
  CHECK(drive.bench().sectors_in("data", MediaOp::write) == 24);
  drive.check_content();
}

TEST_CASE("a read between two phases finds what the first has destroyed") {
  MediaCacheDrive drive(home_in_idle_time());
  write_later_tracks(drive);
  REQUIRE(drive.layer().map().size() == 0);
  drive.write(drive.at(5, 2));
  fill_map(drive, 1);
  const double before = drive.metric("rmw.count");
  for (std::uint64_t i = 0; i < 40; ++i) {
    drive.bench().submit(HostOp::write, drive.at(i % 4, i / 4 + 8) * 8, 8);
    drive.bench().submit(HostOp::read, drive.at(5, 12) * 8, 2 * 8);
    drive.bench().run_for(7_ms);
  }
  drive.bench().run_until_all_done();
  CHECK(drive.metric("rmw.count") > before);
  drive.check_content();
}

TEST_CASE("a cut at any instant of a merge in steps loses nothing") {
  MediaCacheSetup setup = home_in_idle_time();
  setup.prefilled = 240;
  setup.bench.media.tracks = 160;
  setup.layer.merge_buffer = sectors(16);
  const auto begin = [](MediaCacheDrive& drive) {
    write_later_tracks(drive);
    for (std::uint64_t i = 0; i < 50; ++i) drive.write(drive.at(i % 5, i / 5));
    for (std::uint64_t i = 0; i < 9; ++i)
      drive.bench().submit(HostOp::write, drive.at(i % 5, 14 + i / 5) * 8, 8);  // also into bands that are merged
  };
  const auto go_on = [](MediaCacheDrive& drive) {
    for (const auto& [number, first] : {std::pair{5, 3}, {5, 9}, {0, 0}, {1, 20}}) drive.write(drive.at(number, first), 2);
  };
  CHECK(cut_everywhere<MediaCacheDrive>(setup, begin, go_on) > 20);
}

TEST_CASE("room is given by what merges freed for their time, never beyond the reserve, and is owed until they free it") {
  RoomOnCredit room(50);
  room.earn(10_ms);
  CHECK(room.given() == 0);  // nothing is known yet
  room.expect(20, 100_ms);
  room.earn(50_ms);
  CHECK(room.given() == 10);
  room.settle(20, 100_ms);
  CHECK(room.given() == -10);  // freed in one lump, and given step by step
  room.earn(100_ms);
  CHECK(room.given() == 10);
  room.earn(10'000_ms);
  CHECK(room.given() == 50);
  room.settle(200, 100_ms);
  CHECK(room.given() == -150);
  room.forgive();
  CHECK(room.given() == 0);
}

TEST_CASE("a synced write takes its length of the log and a share that is the same for all, and none goes to its band directly") {
  MediaCacheSetup setup;
  setup.layer.synced_share = sectors(3);
  const std::uint32_t count = GENERATE(1, 5, 8, 11, 20);
  MediaCacheDrive drive(setup);
  drive.write(drive.at(2), count);
  CHECK(drive.metric("stream.count") == 0);
  CHECK(drive.metric("packet.sectors") == count + (count + 7) / 8 + 3);  // with an end for each packet of eight
  drive.check_content();
}

TEST_CASE("a small write alone in its packet counts as its share of one where shares are counted") {
  MediaCacheSetup setup;
  setup.layer.checkpoint_shares = GENERATE(false, true);
  setup.layer.checkpoint_every = 2;
  CachedDrive drive(setup);
  for (std::uint64_t i = 0; i < 6; ++i) {
    drive.write(24 * i + 3);
    drive.flush();
  }
  CHECK(drive.metric("packet.count") == 6);
  CHECK(drive.metric("map.checkpoints") == (setup.layer.checkpoint_shares ? 0 : 2));
}

TEST_CASE("idle cleanings begin no sooner after one another than they are told") {
  MediaCacheSetup setup = one_band_cleanings();
  setup.layer.idle_cleaning = media_cache::IdleCleaning::on;
  setup.layer.idle_after = 1_s;
  setup.layer.idle_period = 2_s;
  MediaCacheDrive drive(setup);
  for (std::uint64_t band = 0; band < 5; ++band) drive.write(drive.at(band));
  drive.bench().run_for(6'500_ms);  // at 1, 3 and 5 s
  CHECK(drive.metric("cleaning.idle") == 3);
}
