// Link and media at once: a write's data comes while the arm moves, a read's goes while sectors still pass the head.
#include <catch2/catch.hpp>

#include "firmware/layers/layer_factories.hpp"
#include "unit/firmware/test_drive.hpp"

using namespace tessera;
using namespace tessera::literals;
using namespace tessera::test;

namespace {

/// A turn of 10 ms, 16 sectors of 625 us; the link takes 1 ms a sector, or `sector` of 4 KiB a second.
BenchConfig linked_drive(std::uint64_t sectors_a_second = 1000) {
  BenchConfig config = small_drive();
  config.media.timing = MediaTimingMode::rotational;
  config.host.link_rate = BytesPerSecond(4096 * sectors_a_second);
  return config;
}

BenchConfig on_request() {
  BenchConfig config = linked_drive();
  config.host.write_data = WriteData::on_request;
  return config;
}

Picoseconds duration(TestDrive& drive, HostOp op, std::uint64_t sector, std::uint32_t count) {
  const Picoseconds begin = drive->now();
  REQUIRE(drive->run_until_done(drive->submit(op, sector * 8, count * 8)) == Status::ok);
  return drive->now() - begin;
}

}  // namespace

TEST_CASE("data on request: the arm moves while the data crosses, and the media waits for what it needs") {
  // Sectors 4 to 7 pass from 2.5 to 5 ms; the last one is complete at 4 ms, and the head is there at 4.375 ms.
  TestDrive with_command(make_cmr_factory(), {}, linked_drive());
  CHECK(duration(with_command, HostOp::write, 4, 4) == 15_ms);  // all data at 4 ms: a turn later
  TestDrive drive(make_cmr_factory(), {}, on_request());
  CHECK(duration(drive, HostOp::write, 4, 4) == 5_ms);
  CHECK(drive.metric("media.missed_turns") == 0);
  CHECK(drive.wrong_blocks() == 0);
}

TEST_CASE("data on request: it begins to cross after the delay of an old bus, while the arm moves") {
  // The last sector is complete at 4 ms and the delay; the head is there at 4.375 ms.
  const auto took = [](Picoseconds delay) {
    BenchConfig config = on_request();
    config.host.write_data_delay = delay;
    TestDrive drive(make_cmr_factory(), {}, config);
    return duration(drive, HostOp::write, 4, 4);
  };
  CHECK(took(375_us) == 5_ms);
  CHECK(took(376_us) == 15_ms);
}

TEST_CASE("data on request: a bus may be slower for writes, and a write's status take longer") {
  BenchConfig config = on_request();
  config.host.write_completion_overhead = 7_us;
  TestDrive drive(make_cmr_factory(), {}, config);
  CHECK(duration(drive, HostOp::write, 4, 4) == 5'007_us);
  // Twice as slow: the last sector is complete at 8 ms, after the head was there.
  config.host.write_rate = BytesPerSecond(4096 * 500);
  TestDrive slow(make_cmr_factory(), {}, config);
  CHECK(duration(slow, HostOp::write, 4, 4) == 15'007_us);
  TestDrive reads(make_cmr_factory(), {}, config);
  CHECK(duration(reads, HostOp::read, 4, 4) == 9_ms);
}

TEST_CASE("data on request: a sector that has not come when the head is there costs a turn") {
  // Sectors 2 to 5: the last one is under the head at 3.125 ms and complete at 4 ms.
  TestDrive drive(make_cmr_factory(), {}, on_request());
  CHECK(duration(drive, HostOp::write, 2, 4) == 13'750_us);
  CHECK(drive.metric("media.missed_turns") == 1);
  // Over the end of a track: 14, 15 and, behind it, 0 and 1 of the next.
  CHECK(duration(drive, HostOp::write, 14, 4) < 20_ms);
  CHECK(drive.wrong_blocks() == 0);
}

TEST_CASE("data on request: what cannot use data on its way waits for all of it") {
  // A write cache; parts of a sector, whose old blocks are read meanwhile not at all; a layer that reads and writes back.
  FirmwareConfig cached;
  cached.write_cache.capacity = 64_KiB;
  cached.write_cache.durability = CacheDurability::volatile_memory;
  TestDrive cache(make_cmr_factory(), {}, on_request(), cached);
  CHECK(duration(cache, HostOp::write, 4, 4) == 4_ms);
  TestDrive interlaced(make_imr_rmw_factory(), {}, on_request());
  CHECK(duration(interlaced, HostOp::write, 4, 4) == 15_ms);
  TestDrive parts(make_cmr_factory(), {}, on_request());
  REQUIRE(parts->write(4 * 8, 4) == Status::ok);
  REQUIRE(parts->steps.size() == 2);
  CHECK(parts->steps[0].begin == 500_us);
  for (TestDrive* drive : {&cache, &interlaced, &parts}) CHECK(drive->wrong_blocks() == 0);
}

TEST_CASE("data on request: writes at once, given up or cut off by the power, leave what they may") {
  FirmwareConfig config;
  config.read_cache = {.segments = 2, .segment_sectors = 16, .read_ahead = 8};
  TestDrive drive(make_cmr_factory(), {}, on_request(), config);
  std::uint64_t state = 11;
  for (int i = 0; i < 600; ++i) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    HostRequest& request = drive->submit((state >> 63) == 0 ? HostOp::write : HostOp::read, (state >> 33) % 300,
                                         static_cast<std::uint32_t>((state >> 20) % 40 + 1));
    if (i % 5 == 4) {
      drive->run_for(Picoseconds((state >> 13) % 20'000'000'000));
      if (!FirmwareBench::done(request)) drive->give_up(request);
    }
    if (i % 7 == 6) drive->run_until_all_done();
    if (i % 50 == 49) drive->cut_now();
  }
  drive->run_until_all_done();
  CHECK(drive.wrong_blocks() == 0);
}

TEST_CASE("streamed reads: the link begins when it will not run out of data") {
  BenchConfig config = linked_drive();
  TestDrive plain(make_cmr_factory(), {}, config);
  CHECK(duration(plain, HostOp::read, 4, 4) == 9_ms);  // 5 ms, and 4 ms on the link
  config.host.stream_reads = true;
  // Slower than the media: from the first sector's end at 3.125 ms on.
  TestDrive slow(make_cmr_factory(), {}, config);
  CHECK(duration(slow, HostOp::read, 4, 4) == 7'125_us);
  // Faster: the last sector, there at 5 ms, crosses in 100 us.
  config.host.link_rate = BytesPerSecond(4096 * 10'000);
  TestDrive fast(make_cmr_factory(), {}, config);
  CHECK(duration(fast, HostOp::read, 4, 4) == 5'100_us);
}

TEST_CASE("streamed reads: with a water mark the link waits for that share of the read, rounded down to blocks") {
  BenchConfig config = linked_drive();
  config.host.stream_reads = true;
  // Sectors end at 3.125, 3.75, 4.375 and 5 ms; the link takes 4 ms.
  const auto took = [&](double mark) {
    config.host.read_water_mark = mark;
    TestDrive drive(make_cmr_factory(), {}, config);
    return duration(drive, HostOp::read, 4, 4);
  };
  CHECK(took(0.25) == 7'125_us);
  CHECK(took(0.28) == 7'125_us);  // 8.96 blocks of 512 B, and a sector is 8
  CHECK(took(0.29) == 7'750_us);
  CHECK(took(0.5) == 7'750_us);
  CHECK(took(0.01) == 7'125_us);  // a block at least
  CHECK(took(0.75) == 8'375_us);
  CHECK(took(1) == 9_ms);
}

TEST_CASE("streamed reads: a link that stays behind the head carries so many more sectors after the last one has come in") {
  BenchConfig config = linked_drive();
  config.host.stream_reads = true;
  // Sectors end at 3.125, 3.75, 4.375 and 5 ms.
  const auto took = [&](std::uint32_t blocks, std::uint64_t sectors_a_second) {
    config.host.read_lag = blocks;
    config.host.link_rate = BytesPerSecond(4096 * sectors_a_second);
    TestDrive drive(make_cmr_factory(), {}, config);
    return duration(drive, HostOp::read, 4, 4);
  };
  CHECK(took(7, 10'000) == 5'100_us);  // part of a sector
  CHECK(took(8, 10'000) == 5'200_us);
  CHECK(took(16, 10'000) == 5'300_us);
  CHECK(took(24, 10'000) == 5'400_us);
  CHECK(took(800, 10'000) == 5'400_us);
  // Slower than the media: from the end of the sector that lets the first one go.
  CHECK(took(0, 1000) == 7'125_us);
  CHECK(took(8, 1000) == 7'750_us);
  CHECK(took(16, 1000) == 8'375_us);
  CHECK(took(800, 1000) == 9_ms);
}

TEST_CASE("streamed reads: over tracks the link waits for the later one, and of a whole track for its end") {
  BenchConfig config = linked_drive(2000);  // 500 us a sector
  config.host.stream_reads = true;
  // 14 and 15 pass until 10 ms, then 0 and 1 of the next track, which the seek lets begin a turn later: last at 21.25 ms.
  TestDrive drive(make_cmr_factory(), {}, config);
  const Picoseconds end = duration(drive, HostOp::read, 14, 4);
  CHECK(end == drive->steps[1].timing.end + 500_us);
  // A whole track from its sector 5 on, as the head happens to be there: its sector 0 comes in the middle.
  TestDrive track(make_cmr_factory(), {}, config);
  track->run_for(3'000_us);
  const Picoseconds begin = track->now();
  const Picoseconds took = duration(track, HostOp::read, 0, 16);
  CHECK(track->steps[0].timing.end - begin == 125_us + 10_ms);
  CHECK(took == 10'125_us + 8_ms);
}

TEST_CASE("streamed reads: a hit has been there since it was looked up, and one that fails sends nothing early") {
  BenchConfig config = linked_drive();
  config.host.stream_reads = true;
  FirmwareConfig cached;
  cached.read_cache = {.segments = 1, .segment_sectors = 16, .read_ahead = 0, .read_ahead_step = 1};
  TestDrive drive(make_cmr_factory(), {}, config, cached);
  REQUIRE(drive->read(4 * 8, 4 * 8) == Status::ok);
  drive->run_for(3_ms);
  CHECK(duration(drive, HostOp::read, 4, 4) == 4_ms);
  // Two sectors held, two from the platters: these are the later ones.
  drive->steps.clear();
  const Picoseconds begin = drive->now();
  const Picoseconds took = duration(drive, HostOp::read, 6, 4);
  REQUIRE(drive->steps.size() == 1);
  CHECK(drive->steps[0].run.count == 2);
  const Picoseconds there = drive->steps[0].timing.end - begin;
  CHECK(took == std::max(4_ms, there - 625_us + 2_ms));
}
