// media-cache whose merges go to a spare band: what is written, once; what is read meanwhile; where bands lie after a cut or a fault.
#include "media_cache_drive.hpp"
#include "support/cut_everywhere.hpp"

using namespace tessera;
using namespace tessera::test;
using namespace tessera::literals;

namespace {

MediaCacheSetup merges_to_spares() {
  MediaCacheSetup setup = one_band_cleanings();
  setup.layer.merge_to = media_cache::MergeTo::spare;
  return setup;
}

/// As soon as the host is silent.
MediaCacheSetup cleaned_at_once() {
  MediaCacheSetup setup = merges_to_spares();
  setup.layer.idle_cleaning = media_cache::IdleCleaning::on;
  setup.layer.idle_after = 1_ms;
  return setup;
}

/// Writes a sector of the band, and gives the sectors of bands that its merge writes.
std::uint64_t merged(MediaCacheDrive& drive, std::uint64_t band, std::uint64_t offset) {
  drive.write(drive.at(band, offset));
  drive.bench().steps.clear();
  drive.bench().run_for(10_s);
  REQUIRE(drive.layer().map().size() == 0);
  return drive.bench().sectors_in("data", MediaOp::write);
}

/// The first track of a band.
PhysicalTrack track_of(MediaCacheDrive& drive, std::uint64_t band) {
  return drive.layer().bands().place({LogicalSector(drive.at(band)), 1}).track;
}

}  // namespace

TEST_CASE("a band merged to the spare one is read once and written once, and lies there from then on") {
  MediaCacheDrive drive(merges_to_spares());
  const std::uint64_t middle = (drive.layer().bands().bands() + 1) / 2;
  const PhysicalTrack spare{0, track_of(drive, middle - 1).radius + 4};  // bands of three tracks and a guard
  REQUIRE(track_of(drive, middle).radius == spare.radius + 4);
  const PhysicalTrack before = track_of(drive, 5);
  drive.write(drive.at(5, 9));
  drive.write(drive.at(4, 3));
  fill_map(drive, 2);
  drive.bench().steps.clear();
  drive.write(drive.at(0, 0));
  REQUIRE(drive.metric("rmw.count") == 1);
  CHECK(drive.metric("merge.phases") == 2);  // 24 sectors in a buffer of 16
  CHECK(drive.bench().sectors_in("data", MediaOp::read) == 24);
  CHECK(drive.bench().sectors_in("cache", MediaOp::read) == 1);
  CHECK(drive.bench().sectors_in("data", MediaOp::write) == 24);
  CHECK(drive.bench().sectors_in("places", MediaOp::write) == 2);
  CHECK(drive.metric("places.sectors") > 2);  // the first boot's checkpoint too
  CHECK(track_of(drive, 5) == spare);

  drive.write(drive.at(0, 2));
  REQUIRE(drive.metric("rmw.count") == 2);
  CHECK(track_of(drive, 4) == before);
  CHECK(track_of(drive, 5) == spare);
  drive.check_content();
  drive.cut_now();
  CHECK(track_of(drive, 4) == before);
  CHECK(track_of(drive, 5) == spare);
  drive.check_content();
}

TEST_CASE("each region of bands has spare ones of its own, in front of the log and behind it") {
  MediaCacheSetup setup = merges_to_spares();
  setup.layer.cache_place = ReservedPlace::middle;
  MediaCacheDrive drive(setup);
  REQUIRE(regions_named(drive.plan(), "data").size() == 2);
  CHECK(regions_named(drive.plan(), "merge").empty());
  const std::uint64_t last = drive.layer().bands().bands() - 1;
  const auto middle = static_cast<std::uint32_t>(regions_named(drive.plan(), "cache").front().first);
  std::vector<bool> in_front;
  for (std::uint64_t band = 0; band <= last; ++band) in_front.push_back(track_of(drive, band).radius < middle);
  REQUIRE(in_front.front());
  REQUIRE(!in_front.back());
  for (std::uint64_t round = 0; round < 4; ++round)
    for (std::uint64_t band = 0; band <= last; ++band) drive.write(drive.at(band, round));
  REQUIRE(drive.metric("merge.moves") > static_cast<double>(last));
  for (std::uint64_t band = 0; band <= last; ++band) CHECK((track_of(drive, band).radius < middle) == in_front[band]);
  drive.check_content();
}

TEST_CASE("a band goes to the spare one that is nearest to it, of one in 128 places") {
  MediaCacheSetup setup = cleaned_at_once();
  setup.bench.media.tracks = 78 + 258 * 4;  // log and checkpoints, then places of three tracks and a guard
  MediaCacheDrive drive(setup);
  REQUIRE(drive.layer().bands().bands() == 256);
  const auto moved_by = [&](std::uint64_t band) {
    const auto before = static_cast<std::int64_t>(track_of(drive, band).radius);
    merged(drive, band, 0);
    return (static_cast<std::int64_t>(track_of(drive, band).radius) - before) / 4;
  };
  // The spare ones are in the middles of two halves: places 64 and 193.
  CHECK(moved_by(60) == 4);
  CHECK(moved_by(190) == 2);    // from place 191
  CHECK(moved_by(66) == -7);    // from place 67 to 60
  CHECK(moved_by(127) == -61);  // from place 128 to 67; the other one is 191
  drive.check_content();
}

TEST_CASE("either way of merging is taken where it writes less") {
  MediaCacheSetup setup = cleaned_at_once();
  setup.layer.merge_to = media_cache::MergeTo::either;
  MediaCacheDrive drive(setup);
  CHECK(merged(drive, 5, 16) == 8);  // the last of three tracks, and its copy
  CHECK(drive.bench().sectors_in("merge", MediaOp::write) == 8 + 2);
  CHECK(drive.metric("merge.moves") == 0);
  CHECK(merged(drive, 5, 8) == 24);                               // two tracks and their copy are more than a band
  CHECK(drive.bench().sectors_in("merge", MediaOp::write) == 2);  // the copy above is void
  CHECK(drive.metric("merge.moves") == 1);
  CHECK(merged(drive, 5, 16) == 8);  // at its new place
  drive.check_content();
}

TEST_CASE("the copy of a band does not come back over what went to a spare one since") {
  MediaCacheSetup setup = cleaned_at_once();
  setup.layer.merge_to = media_cache::MergeTo::either;
  MediaCacheDrive drive(setup);
  merged(drive, 5, 17);
  drive.write(drive.at(5, 1));
  merged(drive, 5, 17);
  REQUIRE(drive.metric("merge.moves") == 1);
  drive.write(drive.at(0, 0));  // says that what the log has of the band is not needed any more
  drive.cut_now();
  drive.check_content();
}

TEST_CASE("of a band in part used only that part is merged, and nothing of what the place held before can be read") {
  MediaCacheSetup setup = cleaned_at_once();
  setup.prefilled = 5 * 24 + 10;  // ten sectors of band 5
  MediaCacheDrive drive(setup);
  CHECK(merged(drive, 5, 2) == 10);
  CHECK(merged(drive, 4, 0) == 24);  // to the place of band 5
  CHECK(merged(drive, 6, 3) == 24);  // four sectors, to the place of band 4: nothing over what that held
  drive.read(drive.at(6, 4), 20);
  drive.check_content();
}

/// With bytes as content nothing is written as zeros, which what is written in front of them destroys.
TEST_CASE("what a merge has written behind a band counts as used, so that the next one at its place does not end in it") {
  MediaCacheSetup setup = cleaned_at_once();
  setup.prefilled = 4 * 24;
  setup.bench.content = ContentMode::bytes;
  MediaCacheDrive drive(setup);
  CHECK(merged(drive, 0, 0) == 24);
  CHECK(merged(drive, 5, 9) == 24);   // ten sectors, to the place of band 0
  CHECK(merged(drive, 5, 1) == 24);   // to its own
  CHECK(merged(drive, 6, 11) == 24);  // twelve, to the place of band 0, whose last track was written for band 5
  drive.read(drive.at(6, 20));
}

TEST_CASE("reads of a band are let in as long as it is merged to the spare one") {
  MediaCacheSetup setup = cleaned_at_once();
  setup.layer.merge_buffer = sectors(8);  // a phase a track
  MediaCacheDrive drive(setup);
  for (std::uint64_t i = 0; i < 8; ++i) drive.write(drive.at(1, 2 * i));
  drive.bench().steps.clear();
  std::uint64_t reads = 0;
  for (; drive.bench().sectors_in("places", MediaOp::write) == 0; ++reads) {
    drive.read(drive.at(1, reads % 24));
    drive.bench().run_for(3_ms);
  }
  CHECK(drive.bench().sectors_in("data", MediaOp::write) == 24);
  CHECK(reads > 6);  // some 30 ms each, of a merge of 3 phases that read and write a track
  drive.check_content();
}

TEST_CASE("a merge in the background lets the host's commands in after so many tracks") {
  MediaCacheSetup setup = cleaned_at_once();
  setup.bench.media.tracks = 300;
  setup.layer.band_tracks = 12;
  setup.layer.merge_buffer = sectors(12 * 8);
  setup.layer.merge_tracks = GENERATE(1, 4, 16);
  MediaCacheDrive drive(setup);
  drive.write(drive.at(1, 0));
  drive.bench().steps.clear();
  while (drive.bench().steps_in("data").empty()) drive.bench().run_for(100_us);
  drive.read(drive.at(3, 5));
  const auto steps = drive.bench().steps_in("data");
  const auto of_the_host = std::ranges::find(steps, 1U, [](const auto& step) { return step.run.count; });
  CHECK(of_the_host - steps.begin() == std::min<std::ptrdiff_t>(setup.layer.merge_tracks, 12));
  drive.check_content();
}

TEST_CASE("a cut at any instant of a merge to a spare band loses nothing, whether it takes one phase or several") {
  MediaCacheSetup setup = merges_to_spares();
  setup.prefilled = 240;
  setup.bench.media.tracks = 160;
  setup.layer.merge_to = GENERATE(media_cache::MergeTo::spare, media_cache::MergeTo::either);
  setup.layer.merge_buffer = GENERATE(sectors(24), sectors(8), sectors(5));
  const auto begin = [](MediaCacheDrive& drive) {
    for (std::uint64_t i = 0; i < 33; ++i) drive.write(drive.at(i % 5, 2 * (i / 5) + 1));
    drive.bench().submit(HostOp::write, drive.at(5, 3) * blocks_per_sector, 2 * blocks_per_sector);
  };
  const auto go_on = [](MediaCacheDrive& drive) {
    for (const auto& [band, first] : {std::pair{5, 3}, {5, 9}, {0, 0}, {1, 20}}) drive.write(drive.at(band, first), 2);
    for (std::uint64_t i = 0; i < 33; ++i) drive.write(drive.at((i + 1) % 5, 2 * (i / 5) + 1));
  };
  CHECK(cut_everywhere<MediaCacheDrive>(setup, begin, go_on) > 20);
}

namespace {

/// The step that wrote the second copy of the newest record of a moved band.
PhysicalRun second_copy(MediaCacheDrive& drive) { return drive.bench().steps_in("places").back().run; }

/// Has band 5 merged, for want of room.
Status merge_band_5(MediaCacheDrive& drive) {
  drive.write(drive.at(5, 9));
  drive.write(drive.at(4, 3));
  fill_map(drive, 2);
  drive.bench().steps.clear();
  return drive.bench().write(drive.at(0, 0) * blocks_per_sector, blocks_per_sector);
}

void make_unwritable(MediaCacheSetup& setup, const PhysicalRun& sector) {
  setup.bench.media.write_fault_sectors.push_back(
      {static_cast<double>(sector.track.surface), static_cast<double>(sector.track.radius), static_cast<double>(sector.first)});
}

}  // namespace

/// The second copy of the record that says where band 5 lies cannot be written, the first one can. A checkpoint in the log's other half
/// makes it void, and the record goes behind that. Where that cannot be written either, whether the band has moved is not known before the
/// next boot, so that its place and the spare one must stay as they are.
TEST_CASE("where the record of a moved band fails it goes to the log's other half, and where it fails there too no merge writes any more") {
  MediaCacheSetup setup = merges_to_spares();
  setup.layer.merge_to = GENERATE(media_cache::MergeTo::spare, media_cache::MergeTo::either);
  {
    MediaCacheDrive drive(setup);
    REQUIRE(merge_band_5(drive) == Status::ok);
    REQUIRE(drive.bench().steps_in("places").size() == 2);
    make_unwritable(setup, second_copy(drive));
  }
  {
    MediaCacheDrive drive(setup);
    REQUIRE(merge_band_5(drive) == Status::ok);
    REQUIRE(drive.bench().steps_in("places").size() > 4);
    make_unwritable(setup, second_copy(drive));
    drive.check_content();
    drive.cut_now();
    drive.check_content();
  }
  MediaCacheDrive drive(setup);
  CHECK(merge_band_5(drive) != Status::ok);
  drive.bench().steps.clear();
  CHECK(drive.bench().write(drive.at(0, 2) * blocks_per_sector, blocks_per_sector) != Status::ok);
  CHECK(drive.bench().sectors_in("merge", MediaOp::write) == 0);
  CHECK(drive.bench().sectors_in("data", MediaOp::write) == 0);
  drive.check_content();
  drive.cut_now();
  drive.check_content();
}
