// media-cache: packets, what they take of the log, checkpoints, streams.
#include "cached_drive.hpp"

using namespace tessera;
using namespace tessera::test;
using namespace tessera::literals;

TEST_CASE("a packet takes its data and one sector of the log, in one write") {
  MediaCacheDrive drive(MediaCacheSetup{});
  drive.bench().steps.clear();
  drive.write(drive.at(2, 5), 3);
  const auto steps = drive.bench().steps_in("cache");
  REQUIRE(steps.size() == 2);
  CHECK(steps[0].run.count == 3);
  CHECK(steps[1].run.count == 1);
  CHECK(steps[1].run.first == steps[0].run.first + 3);
  CHECK(drive.layer().log().head() == 4);
  CHECK(drive.layer().map().size() == 1);
  CHECK(drive.bench().steps.size() == 2);  // nothing goes anywhere else
  drive.check_content();
}

TEST_CASE("a long write is cut into packets, and at the border of bands") {
  MediaCacheSetup setup;
  setup.layer.stream = Bytes(0);
  MediaCacheDrive drive(setup);
  drive.write(drive.at(1, 0), 20);  // 8 + 1, 8 + 1, 4 + 1
  CHECK(drive.metric("packet.count") == 3);
  CHECK(drive.metric("packet.writes") == 1);
  CHECK(drive.layer().log().head() == 23);
  drive.write(drive.at(3, 22), 4);  // two sectors of a band of 24 and two of the next
  CHECK(drive.metric("packet.count") == 5);
  CHECK(drive.layer().log().head() == 23 + 3 + 3);
  drive.check_content();
}

TEST_CASE("a write that did not come from the write cache takes the least packet, and is read back where that is asked for") {
  MediaCacheSetup setup;
  setup.layer.least_packet = sectors(6);
  setup.layer.verify_packets = GENERATE(false, true);
  MediaCacheDrive drive(setup);
  drive.bench().steps.clear();
  drive.write(drive.at(0, 1));
  CHECK(drive.layer().log().head() == 6);
  CHECK(drive.bench().sectors_in("cache", MediaOp::write) == 6);
  CHECK(drive.bench().sectors_in("cache", MediaOp::read) == (setup.layer.verify_packets ? 6 : 0));
  drive.write(drive.at(0, 2), 6);  // longer than the least with its end
  CHECK(drive.layer().log().head() == 6 + 7);
}

TEST_CASE("up to eight small writes of the write cache share a packet") {
  MediaCacheSetup setup;
  setup.layer.least_packet = sectors(6);  // of none of these
  CachedDrive drive(setup);
  for (std::uint64_t band = 0; band < 16; ++band) drive.write(band * 24 + 3);
  CHECK(drive.metric("packet.count") == 0);
  drive.flush();
  // The first goes at once, eight gather while it is on its way, the rest are what is left.
  CHECK(drive.metric("packet.writes") == 16);
  CHECK(drive.metric("packet.count") == 3);
  CHECK(drive.metric("packet.shared") == 2);
  CHECK(drive.metric("packet.sectors") == 16 + 3);
  CHECK(drive.metric("map.extents") == 16);
  drive.check_content();
}

TEST_CASE("writes share a packet as far as they fit it, and one that is larger than half of it has its own") {
  const auto [sectors, packets] = GENERATE(std::pair{2, 3}, std::pair{3, 4}, std::pair{4, 4}, std::pair{5, 6});  // of 8 sectors
  CachedDrive drive(MediaCacheSetup{});
  for (std::uint64_t band = 0; band < 6; ++band) drive.write(band * 24 + 3, static_cast<std::uint32_t>(sectors));
  drive.flush();
  CHECK(drive.metric("packet.count") == packets);
}

TEST_CASE("the map is written down after so many writes, of whatever size, and not before") {
  MediaCacheSetup setup;
  setup.layer.stream = Bytes(0);
  MediaCacheDrive drive(setup);
  drive.write(drive.at(6, 0), 20);  // three packets, one write
  for (std::uint64_t i = 0; i < 5; ++i) drive.write(drive.at(i, 0), static_cast<std::uint32_t>(1 + i));
  CHECK(drive.metric("map.checkpoints") == 0);
  drive.write(drive.at(7, 0));
  CHECK(drive.metric("map.checkpoints") == 1);
  for (std::uint64_t i = 0; i < 5; ++i) drive.write(drive.at(8, i));
  CHECK(drive.metric("map.checkpoints") == 1);
  drive.write(drive.at(8, 9));
  CHECK(drive.metric("map.checkpoints") == 2);
}

TEST_CASE("the map is written down before its entries outgrow what a boot has room for, however few the writes") {
  MediaCacheSetup setup;
  setup.layer.cache = sectors(2000);
  setup.layer.map_entries = 512;
  setup.layer.stream = Bytes(0);
  setup.bench.media.tracks = 1000;
  MediaCacheDrive drive(setup);
  // Room for 2 * (6 * 8 + 32) entries beside the map's, of which two packets on their way may need 2 * 8 each: 64 packets of one run take
  // the other 128.
  drive.write(drive.at(0), 65 * 8);
  CHECK(drive.metric("packet.count") == 65);
  CHECK(drive.metric("map.checkpoints") == 0);
  drive.write(drive.at(40), 8);
  CHECK(drive.metric("map.checkpoints") == 1);
}

TEST_CASE("each piece of a checkpoint costs a turn") {
  // 64 entries and room for 2 * (6 * 8 + 32) more are 5376 bytes and four words: two sectors, and their copy.
  const auto time = [](std::uint64_t piece) {
    MediaCacheSetup setup;
    setup.bench.media.track_skew = setup.bench.media.cylinder_skew = 0;
    setup.bench.media.seek_min = 1_ms;
    setup.bench.media.seek_full_stroke = 1_ms;
    setup.layer.checkpoint_piece = sectors(piece);
    MediaCacheDrive drive(setup);
    for (std::uint64_t i = 0; i < 6; ++i) drive.write(drive.at(0, i));
    drive.bench().steps.clear();
    drive.write(drive.at(0, 7));
    CHECK(drive.bench().sectors_in("map", MediaOp::write) == 4 + 2);
    return std::pair(drive.bench().steps_in("map").size(), drive.metric("map.checkpoint_time.mean"));
  };
  const auto [whole_steps, whole_time] = time(2);
  const auto [piece_steps, piece_time] = time(1);
  CHECK(piece_steps == whole_steps + 2);
  const double turn = 60e3 / 7200;
  CHECK(piece_time - whole_time == Approx(2 * turn).margin(turn / 4));  // an eighth of a turn of transfer in either case
}

TEST_CASE("an overwrite gives its entry back, and the log comes round over what is of no use") {
  MediaCacheDrive drive(MediaCacheSetup{});
  for (int i = 0; i < 400; ++i) drive.write(drive.at(3, 2));
  CHECK(drive.layer().map().size() == 1);
  CHECK(drive.layer().log().head() == 800);
  CHECK(drive.metric("cleaning.count") == 0);
  drive.check_content();
  drive.cut_now();
  drive.check_content();
}

TEST_CASE("reads find the log first, and nothing where it was trimmed") {
  MediaCacheSetup setup;
  setup.prefilled = 200;
  MediaCacheDrive drive(setup);
  drive.write(drive.at(1, 4), 2);
  drive.read(drive.at(1, 2), 6);
  CHECK(drive.metric("hit.read.log") == 2);
  CHECK(drive.metric("hit.read.media") == 4);
  drive.trim(drive.at(1, 4));
  drive.read(drive.at(1, 4), 2);
  CHECK(drive.metric("hit.read.log") == 3);
  CHECK(drive.metric("hit.read.media") == 4);
  drive.check_content();
}

TEST_CASE("long writes behind all that a band ever held go to it directly, others to the log") {
  MediaCacheDrive drive(MediaCacheSetup{});  // a stream is 8 sectors
  drive.write(drive.at(1, 0), 7);
  CHECK(drive.metric("stream.sectors") == 0);
  drive.write(drive.at(2, 0), 8);
  CHECK(drive.metric("stream.sectors") == 8);
  CHECK(drive.metric("packet.count") == 1);
  drive.write(drive.at(2, 8), 3);  // goes on where the stream ended
  CHECK(drive.metric("stream.sectors") == 11);
  drive.write(drive.at(2, 3), 8);  // over what is there
  CHECK(drive.metric("stream.sectors") == 11);
  drive.write(drive.at(1, 7), 8);  // behind what the log holds
  CHECK(drive.metric("stream.sectors") == 19);
  drive.check_content();
}

TEST_CASE("after a power cut every band counts as full, and so does what is prefilled") {
  MediaCacheSetup setup;
  setup.prefilled = GENERATE(0U, 96U);
  MediaCacheDrive drive(setup);
  if (setup.prefilled == 0) drive.cut_now();
  drive.write(drive.at(2, 0), 16);
  CHECK(drive.metric("stream.sectors") == 0);
  drive.check_content();
}

TEST_CASE("a write elsewhere does not wait for the end of an endless stream") {
  MediaCacheSetup setup;
  setup.bench.media.tracks = 1200;
  setup.bench.host.tags = 8;
  setup.layer.merge_buffer = sectors(48);
  MediaCacheDrive drive(setup);
  std::uint64_t next = drive.at(10);
  const auto stream_on = [&] { drive.bench().submit(HostOp::write, 8 * std::exchange(next, next + 24), 8 * 24); };
  for (int i = 0; i < 4; ++i) stream_on();
  HostRequest& other = drive.bench().submit(HostOp::write, 8 * drive.at(2, 3), 8 * 2);
  std::uint32_t streamed = 0;
  while (!FirmwareBench::done(other) && streamed < 150) {
    for (int i = 0; i < 2; ++i) stream_on();
    streamed += 2;
    drive.bench().run_for(40_ms);
  }
  CHECK(streamed < 60);
  drive.bench().run_until_all_done();
  drive.check_content();
}

TEST_CASE("of a band it is told how far it is written, and how much of it the log holds") {
  MediaCacheDrive drive(MediaCacheSetup{});
  drive.write(drive.at(1, 0), 8);  // a stream
  drive.write(drive.at(1, 2), 3);
  drive.write(drive.at(1, 4), 2);
  const BandLevels levels = drive.layer().band_levels();
  CHECK(levels[0] == BandLevel{24, 0, 0});
  CHECK(levels[1] == BandLevel{24, 8, 4});
}

TEST_CASE("writes side by side that are a stream together go to their band directly") {
  MediaCacheDrive drive(MediaCacheSetup{});
  for (const auto& [band, offset, count] : {std::tuple(1, 1, 1), {2, 1, 1}, {3, 1, 1}, {4, 1, 1}, {5, 0, 4}, {5, 4, 4}})
    drive.bench().submit(HostOp::write, drive.at(static_cast<std::uint64_t>(band), static_cast<std::uint64_t>(offset)) * blocks_per_sector,
                         static_cast<std::uint32_t>(count) * blocks_per_sector);
  drive.bench().run_until_all_done();
  CHECK(drive.metric("stream.sectors") == 8);
  drive.check_content();
}
