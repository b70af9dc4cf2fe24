// media-cache: what is cleaned when, and what it costs.
#include "media_cache_drive.hpp"

using namespace tessera;
using namespace tessera::test;
using namespace tessera::literals;

namespace {

bool cached(MediaCacheDrive& drive, std::uint64_t sector) {
  std::vector<media_cache::Extent> found;
  drive.layer().map().find(drive.layer().bands().band_of(LogicalSector(sector)).number, {LogicalSector(sector), 1}, found);
  return !found.empty();
}

}  // namespace

TEST_CASE("the band of what lies longest in the log is cleaned when the map is full, and not before") {
  MediaCacheDrive drive(one_band_cleanings());
  drive.write(drive.at(5, 9));
  drive.write(drive.at(4, 0));
  drive.write(drive.at(5, 20), 2);
  fill_map(drive, 3);
  CHECK(drive.layer().map().size() == 33);
  CHECK(drive.metric("cleaning.count") == 0);

  drive.bench().steps.clear();
  drive.write(drive.at(0, 0));
  CHECK(drive.metric("cleaning.count") == 1);
  CHECK(drive.metric("rmw.count") == 1);
  CHECK(!cached(drive, drive.at(5, 9)));
  CHECK(!cached(drive, drive.at(5, 20)));
  CHECK(cached(drive, drive.at(4, 0)));
  CHECK(drive.layer().map().size() == 32);
  // From sector 8, where the first track with a cached sector begins, to the end: two tracks, one phase.
  CHECK(drive.metric("merge.phases") == 1);
  CHECK(drive.bench().sectors_in("data", MediaOp::read) == 16);
  CHECK(drive.bench().sectors_in("cache", MediaOp::read) == 3);
  CHECK(drive.bench().sectors_in("merge", MediaOp::write) == 16 + 2);
  CHECK(drive.bench().sectors_in("merge", MediaOp::read) == 0);
  CHECK(drive.bench().sectors_in("data", MediaOp::write) == 16);
  drive.check_content();
}

TEST_CASE("a band that takes several phases is copied as a whole before the first of it is rewritten") {
  MediaCacheDrive drive(one_band_cleanings());
  drive.write(drive.at(5, 2));
  fill_map(drive, 1);
  drive.bench().steps.clear();
  drive.write(drive.at(0, 0));
  CHECK(drive.metric("merge.phases") == 2);  // 24 sectors in a buffer of 16
  CHECK(drive.bench().sectors_in("data", MediaOp::read) == 24);
  CHECK(drive.bench().sectors_in("merge", MediaOp::write) == 24 + 2);
  CHECK(drive.bench().sectors_in("merge", MediaOp::read) == 24);
  double parts = drive.metric("merge.time.rest");
  for (const char* const part : {"merge.time.band_read", "merge.time.log_read", "merge.time.copy", "merge.time.band_write"}) {
    CHECK(drive.metric(part) > 0);
    parts += drive.metric(part);
  }
  CHECK(parts == Approx(drive.metric("rmw.time_total")));
  CHECK(drive.metric("cleaning.dirty_bands_mean") == 9);  // band 5 and those that filled the map
  CHECK(drive.bench().sectors_in("data", MediaOp::write) == 24);
  const auto& steps = drive.bench().steps;
  const auto in = [&](const char* region, MediaOp op, bool last) {
    std::size_t at = 0;
    const auto wanted = drive.bench().steps_in(region);
    for (std::size_t i = 0; i < steps.size(); ++i)
      for (const auto& step : wanted)
        if (step.begin == steps[i].begin && step.op == op && (last || at == 0)) at = i;
    return at;
  };
  CHECK(in("merge", MediaOp::write, true) < in("data", MediaOp::write, false));
  drive.check_content();
}

TEST_CASE("phases of more tracks than one chain of the disk takes are copied and rewritten as a whole, each track from any sector on") {
  MediaCacheSetup setup = one_band_cleanings();
  setup.bench.media.tracks = 400;
  setup.layer.band_tracks = 40;
  setup.layer.merge_buffer = sectors(20 * 8);
  setup.layer.idle_cleaning = media_cache::IdleCleaning::on;
  setup.layer.idle_after = 1_s;
  MediaCacheDrive drive(setup);
  for (std::uint64_t i = 0; i < 20; ++i) drive.write(drive.at(0, 8 * i + 3));  // as many collected from the log, all in the first phase
  drive.bench().run_for(30_s);
  CHECK(drive.metric("rmw.count") == 1);
  CHECK(drive.metric("merge.phases") == 2);
  CHECK(drive.bench().sectors_in("merge", MediaOp::write) == 320 + 2);
  CHECK(drive.bench().sectors_in("merge", MediaOp::read) == 320);
  const auto steps = drive.bench().steps_in("data");
  CHECK(steps.size() == 2 * 40);
  CHECK(std::ranges::all_of(steps, [](const auto& step) { return step.run.count == 8 && step.hint == StepHint::whole_track; }));
  drive.check_content();
}

TEST_CASE("of a band in part used only that part is merged") {
  MediaCacheSetup setup = one_band_cleanings();
  setup.prefilled = 5 * 24 + 10;  // ten sectors of band 5
  MediaCacheDrive drive(setup);
  drive.write(drive.at(5, 2));
  for (std::uint64_t i = 1; i < 33; ++i) drive.write(drive.at(i % 4, 2 * (i / 4)));
  drive.bench().steps.clear();
  drive.write(drive.at(0, 21));
  CHECK(drive.bench().sectors_in("data", MediaOp::write) == 10);
  drive.check_content();
}

TEST_CASE("a cleaning takes as many bands as it is told") {
  MediaCacheSetup setup = one_band_cleanings();
  setup.layer.bands_a_cleaning = 2;
  MediaCacheDrive drive(setup);
  drive.write(drive.at(5, 9));
  drive.write(drive.at(4, 0));
  fill_map(drive, 2);
  drive.write(drive.at(0, 0));
  CHECK(drive.metric("cleaning.count") == 1);
  CHECK(drive.metric("rmw.count") == 2);
  CHECK(!cached(drive, drive.at(4, 0)));
}

TEST_CASE("the log is cleaned when its sectors are full although the map is not") {
  MediaCacheSetup setup = one_band_cleanings();
  MediaCacheDrive drive(setup);
  // Packets of 8 sectors and their end; four of the longest are kept free.
  const std::uint64_t most = drive.layer().log().most_sectors();
  std::uint64_t writes = 0;
  while (drive.metric("cleaning.count") == 0) drive.write(drive.at(writes++ % 20, 0), 8);
  const std::uint64_t in_log = (writes - 1) * 9;
  CHECK(in_log + 4 * most > drive.layer().log().sectors());
  CHECK(in_log - 9 + 4 * most <= drive.layer().log().sectors());
  CHECK(drive.layer().map().size() < 32);
  drive.check_content();
}

TEST_CASE("an idle drive cleans after the time that it is told, down to its mark") {
  MediaCacheSetup setup = one_band_cleanings();
  setup.layer.idle_cleaning = media_cache::IdleCleaning::on;
  setup.layer.idle_after = 200_ms;
  const bool to_the_end = GENERATE(true, false);
  setup.layer.idle_mark = to_the_end ? 0 : 100;
  MediaCacheDrive drive(setup);
  for (std::uint64_t i = 0; i < 6; ++i) drive.write(drive.at(i, 3));
  drive.bench().run_for(150_ms);
  CHECK(drive.metric("cleaning.idle") == 0);
  CHECK(drive.layer().map().size() == 6);
  drive.bench().run_for(5_s);
  CHECK(drive.layer().map().size() == (to_the_end ? 0 : 6));
  CHECK((drive.metric("cleaning.idle") > 0) == to_the_end);
  drive.check_content();
}

TEST_CASE("idle cleaning ends where the map is at its mark") {
  MediaCacheSetup setup = one_band_cleanings();
  setup.layer.idle_cleaning = media_cache::IdleCleaning::on;
  setup.layer.idle_after = 200_ms;
  setup.layer.idle_mark = 50;  // 32 of 64 entries
  MediaCacheDrive drive(setup);
  drive.write(drive.at(5, 9));
  fill_map(drive, 1);
  CHECK(drive.layer().map().size() == 33);
  drive.bench().run_for(10_s);
  CHECK(drive.layer().map().size() == 32);
}

TEST_CASE("a drive that never cleans in idle time does not") {
  MediaCacheDrive drive(one_band_cleanings());
  drive.write(drive.at(1, 1));
  drive.bench().run_for(100_s);
  CHECK(drive.layer().map().size() == 1);
}

TEST_CASE("reads of a band are let in while its packets are collected") {
  MediaCacheSetup setup = one_band_cleanings();
  setup.layer.idle_cleaning = media_cache::IdleCleaning::on;
  setup.layer.idle_after = 1_ms;
  MediaCacheDrive drive(setup);
  for (std::uint64_t i = 0; i < 8; ++i) drive.write(drive.at(1, 2 * i));
  drive.bench().steps.clear();
  // Up to the first collecting read of the log, then a read of the band.
  while (drive.bench().sectors_in("cache", MediaOp::read) == 0) drive.bench().run_for(100_us);
  drive.read(drive.at(1, 23));
  const auto of_bands = drive.bench().steps_in("data");
  const auto of_copy = drive.bench().steps_in("merge");
  REQUIRE(of_bands.back().run.count == 1);  // it, behind the reading of the phase
  if (!of_copy.empty()) CHECK(of_bands.back().begin < of_copy.front().begin);
  drive.bench().run_for(5_s);
  drive.check_content();
}

TEST_CASE("a plan that does not fit says what is missing") {
  DriveGeometry geometry;
  geometry.zones = {{0, 40, 8, 0}};
  std::string problem;
  media_cache::MediaCacheConfig config = MediaCacheSetup{}.layer;
  config.cache = sectors(400);
  CHECK(media_cache::plan_media_cache(config, geometry, problem).empty());
  CHECK(problem.find("leaves no room for a band of 3 tracks") != std::string::npos);
  problem.clear();
  config.cache = sectors(15);
  CHECK(media_cache::plan_media_cache(config, geometry, problem).empty());
  CHECK(problem == "a media cache of 15 sectors is too small: it takes 16");
  problem.clear();
  config.cache = sectors(96);
  config.map_entries = 63;
  CHECK(media_cache::plan_media_cache(config, geometry, problem).empty());
  CHECK(problem == "a map of 63 entries is too small: the packets on their way take up to 64");
}

TEST_CASE("log, merge area and map lie where they are told, with bands on either side") {
  MediaCacheSetup setup;
  setup.layer.cache_place = GENERATE(ReservedPlace::inner, ReservedPlace::middle, ReservedPlace::outer);
  MediaCacheDrive drive(setup);
  const FormatPlan& plan = drive.plan();
  const auto cache = std::ranges::find(plan, "cache", &Region::name);
  CHECK((cache == plan.begin()) == (setup.layer.cache_place == ReservedPlace::outer));
  CHECK((plan.back().name == "map") == (setup.layer.cache_place == ReservedPlace::inner));
  drive.write(drive.at(0, 0), 3);
  drive.write(drive.user_sectors() - 3, 3);
  drive.check_content();
}

TEST_CASE("without a size the map has an entry for each sector of the log, a percent of the drive, and no more than the drive as sold") {
  DriveGeometry geometry;
  geometry.zones = {{0, 1000, 100, 0}};
  const media_cache::MediaCacheConfig config;
  CHECK(config.log_sectors(geometry) == 1000);
  CHECK(config.map_limit(geometry) == 1000);
  geometry.zones = {{0, 100'000, 1000, 0}};
  CHECK(config.map_limit(geometry) == 181'000);
}

TEST_CASE("the log is not cleaned for idleness while the host writes now and then") {
  MediaCacheSetup setup;
  setup.layer.idle_cleaning = media_cache::IdleCleaning::on;
  setup.layer.idle_after = 100_ms;
  MediaCacheDrive drive(setup);
  for (std::uint64_t i = 0; i < 12; ++i) {
    drive.write(drive.at(i % 3, i));
    drive.bench().run_for(60_ms);
  }
  CHECK(drive.metric("cleaning.idle") == 0);
  drive.bench().run_for(5_s);
  CHECK(drive.metric("cleaning.idle") > 0);
  CHECK(drive.bench().metric("gauge.media_cache.log_sectors.last") == 0);
}
