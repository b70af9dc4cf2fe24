// Power cuts at every instant of chosen moments.
#include "cached_drive.hpp"
#include "support/cut_everywhere.hpp"

using namespace tessera;
using namespace tessera::test;
using namespace tessera::literals;

namespace {

/// Cuts a write behind `prepare` at every instant.
template <class Prepare>
std::uint64_t cut_a_write(const MediaCacheSetup& setup, Prepare prepare, std::uint64_t band, std::uint64_t offset, std::uint32_t count) {
  const auto begin = [&](MediaCacheDrive& drive) {
    prepare(drive);
    drive.bench().submit(HostOp::write, drive.at(band, offset) * 8, count * 8);
  };
  const auto go_on = [](MediaCacheDrive& drive) {
    for (const auto& [number, first] : {std::pair{5, 3}, {5, 9}, {0, 0}, {1, 20}}) drive.write(drive.at(number, first), 2);
  };
  return cut_everywhere<MediaCacheDrive>(setup, begin, go_on);
}

MediaCacheSetup full_drive() {
  MediaCacheSetup setup;
  setup.layer.bands_a_cleaning = 1;
  setup.prefilled = 240;
  return setup;
}

}  // namespace

TEST_CASE("a cut at any instant of a write of several packets loses nothing") {
  MediaCacheSetup setup = full_drive();
  setup.layer.least_packet = GENERATE(sectors(0), sectors(11));
  const auto prepare = [](MediaCacheDrive& drive) { drive.write(drive.at(5, 2), 6); };
  CHECK(cut_a_write(setup, prepare, 5, 0, 20) > 6);
}

TEST_CASE("a cut at any instant of a checkpoint loses nothing") {
  MediaCacheSetup setup = full_drive();
  setup.layer.checkpoint_piece = GENERATE(sectors(0), sectors(1));
  const auto prepare = [](MediaCacheDrive& drive) {
    for (std::uint64_t i = 0; i < 12; ++i) drive.write(drive.at(i % 4, i));
  };
  CHECK(cut_a_write(setup, prepare, 5, 3, 2) > 10);
}

TEST_CASE("a cut at any instant of a cleaning loses nothing, whether it takes one phase or several") {
  MediaCacheSetup setup = full_drive();
  setup.layer.cache = sectors(192);
  setup.bench.media.tracks = 160;
  setup.layer.merge_buffer = GENERATE(sectors(24), sectors(8), sectors(5));
  const auto prepare = [](MediaCacheDrive& drive) {
    for (std::uint64_t i = 0; i < 33; ++i) drive.write(drive.at(i % 5, 2 * (i / 5) + 1));
  };
  CHECK(cut_a_write(setup, prepare, 5, 3, 2) > 20);
}

TEST_CASE("a cut at any instant of the log's second time round loses nothing") {
  MediaCacheSetup setup = full_drive();
  const auto prepare = [](MediaCacheDrive& drive) {
    drive.write(drive.at(4, 4), 2);
    for (std::uint64_t i = 0; i < 16; ++i) drive.write(drive.at(3, i % 3), 6);
  };
  CHECK(cut_a_write(setup, prepare, 4, 3, 8) > 6);
}

TEST_CASE("a cut at any instant of a stream loses nothing of what lies in front of it") {
  MediaCacheSetup setup;
  const auto prepare = [](MediaCacheDrive& drive) {
    drive.write(drive.at(2, 0), 3);
    drive.write(drive.at(2, 3), 8);
  };
  CHECK(cut_a_write(setup, prepare, 2, 11, 13) > 4);
}

TEST_CASE("the copy of a band does not come back over a stream behind it") {
  MediaCacheSetup setup;
  setup.layer.idle_cleaning = media_cache::IdleCleaning::on;
  setup.layer.idle_after = 1_ms;
  MediaCacheDrive drive(setup);
  drive.write(drive.at(2, 0), 10);  // a stream to the middle of a track
  drive.write(drive.at(2, 1), 2);
  drive.bench().run_for(5_s);  // the band is cleaned; its copy ends at sector 10
  REQUIRE(drive.metric("rmw.count") == 1);
  drive.write(drive.at(2, 10), 14);
  REQUIRE(drive.metric("stream.sectors") == 24);
  drive.cut_now();
  drive.check_content();
}

TEST_CASE("a boot reads no more of the log than was written since the last checkpoint, and what packets on their way may take") {
  MediaCacheSetup setup = full_drive();
  setup.layer.cache = sectors(400);
  setup.bench.media.tracks = 200;
  MediaCacheDrive drive(setup);
  for (std::uint64_t i = 0; i < 20; ++i) drive.write(drive.at(i % 3, 0), 2);  // three checkpoints, two writes behind the last
  drive.bench().steps.clear();
  drive.cut_now();
  // Two packets of three sectors; three of the longest, of two tracks; and what is left of a track.
  CHECK(drive.bench().sectors_in("cache", MediaOp::read) <= 6 + 3 * 16 + 8);
  drive.check_content();
}

TEST_CASE("a cut at any instant of packets that several writes share leaves each of them old or new") {
  MediaCacheSetup setup;
  setup.layer.packet = sectors(12);
  setup.layer.packet_writes = 6;
  const auto begin = [](CachedDrive& drive) {
    for (std::uint64_t band = 0; band < 12; ++band) drive.write(band * 24 + 3, 1);
    drive.flush();
    for (std::uint64_t band = 0; band < 12; ++band) drive.write(band * 24 + 2, 2);
    drive.bench().submit(HostOp::flush, 0, 0);
  };
  const auto go_on = [](CachedDrive& drive) {
    drive.write(3, 2);
    drive.flush();
  };
  CHECK(cut_everywhere<CachedDrive>(setup, begin, go_on) > 20);
}

TEST_CASE("each sector of a checkpoint comes from the copy that has it") {
  MediaCacheSetup setup;
  setup.layer.checkpoint_piece = sectors(1);
  MediaCacheDrive drive(setup);
  for (std::uint64_t i = 0; i < 6; ++i) drive.write(drive.at(0, i));
  drive.bench().steps.clear();
  drive.write(drive.at(0, 7));
  const auto steps = drive.bench().steps_in("map");
  REQUIRE(steps.size() == 4 + 2);  // two sectors of the map, their copies, a superblock twice
  for (const std::size_t lost : {1, 2}) drive.bench().media().add_unreadable({steps[lost].run.track, steps[lost].run.first});
  drive.cut_now();
  drive.check_content();
}

TEST_CASE("a cut at any time of the first cleaning of a drive loses nothing") {
  MediaCacheSetup setup;
  setup.layer.idle_cleaning = media_cache::IdleCleaning::on;
  setup.layer.idle_after = 1_ms;
  bool cleaned = false;
  for (Picoseconds after = 500_us; !cleaned; after = after + 1_ms) {
    MediaCacheDrive drive(setup);
    drive.write(drive.at(2, 0), 24);  // a stream, so that there is something in the band that its rewrite may destroy
    REQUIRE(drive.layer().map().size() == 0);
    drive.write(drive.at(2, 1), 2);
    drive.bench().run_for(after);
    cleaned = drive.metric("rmw.count") == 1;
    drive.cut_now();
    drive.check_content();
    drive.write(drive.at(2, 12), 2);
    drive.check_content();
  }
}
