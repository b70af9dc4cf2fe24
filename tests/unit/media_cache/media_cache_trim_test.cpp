// media-cache: what was trimmed is neither merged, saved nor rewritten, and nothing older comes back, whenever the power is cut.
#include "media_cache_drive.hpp"
#include "support/cut_everywhere.hpp"
#include "support/random_histories.hpp"

using namespace tessera;
using namespace tessera::test;
using namespace tessera::literals;

namespace {

MediaCacheSetup full_drive() {
  MediaCacheSetup setup;
  setup.layer.bands_a_cleaning = 1;
  setup.prefilled = 240;
  return setup;
}

/// Band 5 has a part in the log, and another that was merged since the last checkpoint.
void merge_since_the_checkpoint(MediaCacheDrive& drive) {
  drive.write(drive.at(5, 1));
  drive.write(drive.at(5, 17), 2);
  for (std::uint64_t i = 0; i < 5; ++i) drive.write(drive.at(4, i));
  REQUIRE(drive.metric("map.checkpoints") == 1);
  drive.bench().run_for(1_s);
  REQUIRE(drive.metric("rmw.count") >= 1);
}

/// What the map has of the band.
std::vector<media_cache::Extent> mapped(MediaCacheDrive& drive, std::uint64_t band) {
  std::vector<media_cache::Extent> found;
  drive.layer().map().find(band, {LogicalSector(drive.at(band)), static_cast<std::uint32_t>(drive.band_sectors())}, found);
  return found;
}

/// The last track of the oldest band of a full map is trimmed while the band's merge waits for it, so that it finds nothing but a hole.
void merge_holes_alone(MediaCacheDrive& drive) {
  for (std::uint64_t offset = 17; offset < 23; offset += 2) drive.write(drive.at(5, offset));
  fill_map(drive, 3);
  REQUIRE(drive.metric("rmw.count") == 0);
  drive.bench().submit(HostOp::trim, drive.at(5, 16) * blocks_per_sector, 8 * blocks_per_sector);
  drive.bench().submit(HostOp::write, drive.at(0, 0) * blocks_per_sector, blocks_per_sector);
  drive.bench().run_until_all_done();
  REQUIRE(drive.metric("rmw.count") == 1);
}

MediaCacheSetup idle_drive() {
  MediaCacheSetup setup = full_drive();
  setup.layer.idle_cleaning = media_cache::IdleCleaning::on;
  setup.layer.idle_after = 50_ms;
  return setup;
}

}  // namespace

TEST_CASE("a TRIM costs a record in the log, and no merge collects, reads or writes what was trimmed") {
  MediaCacheDrive drive(one_band_cleanings());
  drive.write(drive.at(5, 1));
  for (std::uint64_t i = 8; i < 16; ++i) drive.write(drive.at(5, i));
  drive.write(drive.at(5, 20), 2);
  drive.bench().steps.clear();
  drive.trim(drive.at(5, 8), 16);
  CHECK(drive.bench().sectors_in("cache", MediaOp::write) == 2);
  CHECK(drive.bench().steps.size() == 2);
  CHECK(drive.layer().map().logged() == 1);
  CHECK(drive.layer().map().holes() == 1);
  fill_map(drive, 2);
  drive.bench().steps.clear();
  drive.write(drive.at(0, 0));
  REQUIRE(drive.metric("rmw.count") == 1);
  CHECK(drive.bench().sectors_in("data", MediaOp::read) == 8);  // the first track of three
  CHECK(drive.bench().sectors_in("data", MediaOp::write) == 8);
  CHECK(drive.bench().sectors_in("cache", MediaOp::read) == 1);
  CHECK(drive.bench().sectors_in("merge", MediaOp::write) == 8 + 2);
  drive.check_content();
  drive.cut_now();
  drive.check_content();
}

TEST_CASE("whole tracks that were trimmed in the middle of a band are not read by its merge") {
  MediaCacheDrive drive(one_band_cleanings());
  drive.trim(drive.at(5, 8), 8);
  drive.write(drive.at(5, 1));
  fill_map(drive, 2);
  drive.bench().steps.clear();
  drive.write(drive.at(0, 0));
  REQUIRE(drive.metric("rmw.count") == 1);
  CHECK(drive.bench().sectors_in("data", MediaOp::read) == 16);
  CHECK(drive.bench().sectors_in("data", MediaOp::write) == 24);
  CHECK(drive.layer().map().holes() == 0);
  drive.check_content();
}

TEST_CASE("a TRIM of less than a track of which the log holds nothing changes nothing") {
  MediaCacheDrive drive(one_band_cleanings());
  drive.bench().steps.clear();
  drive.trim(drive.at(5, 3), 7);
  CHECK(drive.bench().steps.empty());
  CHECK(drive.layer().map().size() == 0);
}

TEST_CASE("a band that was trimmed piece by piece takes streams again, each with a record after it") {
  MediaCacheDrive drive(full_drive());
  for (std::uint64_t offset = 0; offset < 24; offset += 6) drive.trim(drive.at(5, offset), 6);
  CHECK(drive.layer().map().holes() == 1);
  drive.bench().steps.clear();
  drive.write(drive.at(5), 16);
  CHECK(drive.metric("stream.sectors") == 16);
  CHECK(drive.metric("stream.count") == 2);  // of half the buffer
  CHECK(drive.bench().sectors_in("cache", MediaOp::write) == 2 * 2);
  drive.check_content();
  drive.cut_now();
  drive.check_content();
}

TEST_CASE("an old extent or hole of the last checkpoint does not hide what was streamed to a trimmed band") {
  MediaCacheDrive drive(idle_drive());
  merge_since_the_checkpoint(drive);
  const bool twice = GENERATE(false, true);
  drive.trim(drive.at(5), 24);
  if (twice) drive.write(drive.at(5, 3), 2);  // into the hole, by the log, and then merged over it
  if (twice) drive.bench().run_for(1_s);
  if (twice) drive.trim(drive.at(5), 24);
  const double streamed = drive.metric("stream.sectors");
  drive.write(drive.at(5), 24);
  CHECK(drive.metric("stream.sectors") == streamed + 24);
  drive.cut_now();
  drive.check_content();
  drive.cut_now();
  drive.check_content();
}

TEST_CASE("a cut at any instant of a TRIM, of a merge after it and of a stream to what was trimmed leaves nothing older") {
  MediaCacheSetup setup = idle_drive();
  setup.layer.merge_to = GENERATE(media_cache::MergeTo::place, media_cache::MergeTo::spare, media_cache::MergeTo::either);
  setup.layer.merge_step = GENERATE(0_ms, 5_ms);
  const auto go_on = [](MediaCacheDrive& drive) {
    for (const auto& [band, offset] : {std::pair{5, 3}, {5, 9}, {0, 0}, {1, 20}})
      drive.write(drive.at(static_cast<std::uint64_t>(band), static_cast<std::uint64_t>(offset)), 2);
    drive.bench().run_for(1_s);
  };
  const auto trimmed = [](MediaCacheDrive& drive) {
    merge_since_the_checkpoint(drive);
    drive.write(drive.at(5, 9), 3);
    drive.write(drive.at(4, 2), 2);
    drive.bench().submit(HostOp::trim, drive.at(4, 0) * 8, 48 * 8);
  };
  CHECK(cut_everywhere<MediaCacheDrive>(setup, trimmed, go_on) >= 2);
  const auto streamed = [&](MediaCacheDrive& drive) {
    trimmed(drive);
    drive.bench().run_until_all_done();
    drive.write(drive.at(4, 12), 2);
    drive.bench().submit(HostOp::write, drive.at(5, 0) * 8, 24 * 8);
  };
  CHECK(cut_everywhere<MediaCacheDrive>(setup, streamed, go_on) > 4);
}

TEST_CASE("a map full of holes is cleaned of them") {
  MediaCacheSetup setup = full_drive();
  setup.layer.cache = sectors(192);
  setup.bench.media.tracks = 400;
  setup.prefilled = 1000;
  MediaCacheDrive drive(setup);
  for (std::uint64_t round = 0; round < 4; ++round) {
    for (std::uint64_t band = 0; band < 40; ++band) {
      drive.write(drive.at(band, 5 + 6 * (round % 3)));
      drive.trim(drive.at(band, 5 + 6 * (round % 3)));
    }
    drive.check_content();
  }
  for (std::uint64_t band = 0; band < 40; ++band) drive.write(drive.at(band, 2));
  drive.check_content();
  drive.cut_now();
  drive.check_content();
}

TEST_CASE("a merge of holes alone writes over them, and the next one of its band knows that they are none any more") {
  MediaCacheSetup setup = one_band_cleanings();
  setup.layer.merge_to = GENERATE(media_cache::MergeTo::place, media_cache::MergeTo::spare, media_cache::MergeTo::either);
  setup.layer.idle_cleaning = media_cache::IdleCleaning::on;
  setup.layer.idle_after = 1_s;
  setup.layer.checkpoint_every = 3;
  MediaCacheDrive drive(setup);
  drive.write(drive.at(4, 16), 8);
  drive.bench().run_for(10_s);
  for (std::uint64_t offset = 3; offset < 5; ++offset) drive.write(drive.at(4, offset));
  drive.bench().run_for(10_s);
  drive.write(drive.at(5, 17));  // after a checkpoint
  drive.cut_now();               // nobody knows any more what the place holds that band 4 left
  REQUIRE(drive.layer().map().size() == 1);
  merge_holes_alone(drive);
  CHECK(mapped(drive, 5).empty());
  const auto band = drive.layer().bands().band_of(LogicalSector(drive.at(5)));
  CHECK((drive.layer().bands().used_end(band) == band.end()));
  drive.write(drive.at(5, 1));
  drive.bench().run_for(100_s);
  REQUIRE(drive.layer().map().size() == 0);
  drive.check_content();
  drive.cut_now();
  drive.check_content();
}

TEST_CASE("a TRIM of more bands than a packet of the smallest log can say takes several") {
  MediaCacheSetup setup = full_drive();
  setup.layer.cache = sectors(16);
  MediaCacheDrive drive(setup);
  REQUIRE(drive.layer().log().most_sectors() < 1 + media_cache::Packet::most_runs);
  drive.trim(drive.at(1), static_cast<std::uint32_t>(9 * drive.band_sectors()));
  CHECK(drive.layer().map().holes() == 9);
  drive.check_content();
  drive.cut_now();
  CHECK(drive.layer().map().holes() == 9);
  drive.check_content();
}

TEST_CASE("a TRIM for which the log has no room until something is cleaned costs nothing") {
  MediaCacheSetup setup = one_band_cleanings();
  setup.layer.map_entries = 1000;
  MediaCacheDrive drive(setup);
  drive.write(drive.at(5, 1));  // stays, and keeps the log's tail where it is
  for (std::uint64_t i = 0; i < 48; ++i) drive.write(drive.at(6 + i % 8, 4 * (i / 8)));
  std::uint32_t in_vain = 0;
  for (std::uint64_t i = 0; i < 48; ++i) {
    const std::uint32_t holes = drive.layer().map().holes();
    drive.bench().steps.clear();
    drive.trim(drive.at(6 + i % 8, 4 * (i / 8)));
    if (drive.layer().map().holes() != holes) continue;
    ++in_vain;
    CHECK(drive.bench().steps.empty());
  }
  REQUIRE(drive.metric("rmw.count") == 0);
  CHECK(in_vain > 0);
  CHECK(in_vain < 48);
  drive.check_content();
}

TEST_CASE("random TRIMs of parts of bands and streams after them, with power cuts, bring nothing older back") {
  double streamed = 0;
  for (std::uint64_t run = 0; run < 600; ++run) {
    RandomStream random(run, "media-cache trims");
    INFO("run " << run);
    MediaCacheSetup setup = idle_drive();
    setup.bench.media.sectors_per_track = pick(random, 4, 10);
    setup.bench.media.tracks = 220;
    setup.bench.seed = random();
    setup.layer.cache = sectors(pick(random, 40, 200));
    setup.layer.band_tracks = pick(random, 1, 5);
    setup.layer.merge_buffer = sectors(pick(random, 6, 60));
    setup.layer.stream = sectors(pick(random, 1, 8));
    setup.layer.checkpoint_every = pick(random, 1, 30);
    setup.layer.merge_to = static_cast<media_cache::MergeTo>(random.below(3));
    if (random.below(2) == 0) setup.layer.merge_step = Picoseconds(1 + random.below(30'000'000'000));
    setup.prefilled = random.below(2) == 0 ? 200 : 0;
    MediaCacheDrive drive(setup);
    const std::uint64_t band = drive.band_sectors();
    const std::uint64_t bands = std::min<std::uint64_t>(200 / band, 12);
    for (std::uint32_t cut = 0; cut < 6; ++cut) {
      for (std::uint64_t requests = random.below(40); requests > 0; --requests) {
        const std::uint64_t first = random.below(bands) * band;
        switch (random.below(5)) {
          case 0: drive.bench().submit(HostOp::trim, first * 8, static_cast<std::uint32_t>(band * 8)); break;
          case 1: {
            const std::uint64_t from = random.below(band);
            drive.bench().submit(HostOp::trim, (first + from) * 8, static_cast<std::uint32_t>((band - from) * 8));
            break;
          }
          case 2: drive.bench().submit(HostOp::write, first * 8, static_cast<std::uint32_t>((1 + random.below(band)) * 8)); break;
          case 3: drive.bench().submit(HostOp::write, (first + random.below(band)) * 8, 8); break;
          default: submit_random(drive, random); break;
        }
        if (random.below(3) == 0) drive.bench().run_until_all_done();
        if (random.below(8) == 0) drive.bench().run_for(Picoseconds(random.below(200'000'000'000)));
      }
      streamed += drive.metric("stream.sectors");
      drive.bench().cut_after_actions(random.below(400));
      REQUIRE(drive.bench().boot_status() == Status::ok);
      drive.check_content();
    }
  }
  CHECK(streamed > 1000);
}
