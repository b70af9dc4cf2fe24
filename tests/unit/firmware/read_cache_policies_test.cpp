// What drives do differently with a segmented read cache: each switch, both ways.
#include <catch2/catch.hpp>

#include "firmware/caches/read_cache.hpp"
#include "firmware/layers/layer_factories.hpp"
#include "unit/firmware/test_drive.hpp"

using namespace tessera;
using namespace tessera::literals;
using namespace tessera::test;

namespace {

FirmwareConfig cached(const ReadCacheConfig& config) {
  FirmwareConfig firmware;
  firmware.read_cache = config;
  return firmware;
}

/// A turn of 10 ms, so 625 us a sector, with the spindle where it is.
BenchConfig spinning_drive() {
  BenchConfig config = small_drive();
  config.media.timing = MediaTimingMode::rotational;
  return config;
}

/// The same with electronics that take time.
BenchConfig real_drive() {
  BenchConfig config;
  config.media.speed = Rpm(6000);
  config.media.tracks = 32;
  config.media.sectors_per_track = 16;
  config.dram.capacity = 64_MiB;
  return config;
}

constexpr std::uint32_t blocks = 8;  // of 512 B in a sector

}  // namespace

TEST_CASE(
    "read cache: a read-ahead that is queued with the host's read finds the next sector under the head, one queued after it a turn later") {
  for (const auto start : {ReadAheadStart::with_read, ReadAheadStart::after_read}) {
    TestDrive drive(make_cmr_factory(), {}, real_drive(),
                    cached({.segments = 2, .segment_sectors = 16, .read_ahead = 4, .read_ahead_step = 4, .read_ahead_start = start}));
    REQUIRE(drive->read(0, blocks) == Status::ok);
    drive->run_until_idle(1_s);
    REQUIRE(drive->steps.size() == 2);
    const Picoseconds gap = drive->steps[1].begin + drive->steps[1].timing.rotation - drive->steps[0].timing.end;
    if (start == ReadAheadStart::with_read)
      CHECK(gap < 1_us);
    else
      CHECK(gap > 9_ms);
  }
}

TEST_CASE("read cache: sequential_read begins a read-ahead with the second read of a run, any_read with the first") {
  for (const auto on : {ReadAheadOn::any_read, ReadAheadOn::sequential_read}) {
    TestDrive drive(make_cmr_factory(), {}, spinning_drive(),
                    cached({.segments = 2, .segment_sectors = 16, .read_ahead = 4, .read_ahead_step = 4, .read_ahead_on = on}));
    REQUIRE(drive->read(10 * blocks, blocks) == Status::ok);
    drive->run_until_idle(1_s);
    CHECK(drive->steps.size() == (on == ReadAheadOn::any_read ? 2 : 1));
    REQUIRE(drive->read(11 * blocks, blocks) == Status::ok);  // at its end
    drive->run_until_idle(1_s);
    CHECK(drive.metric("read_cache.hits") == (on == ReadAheadOn::any_read ? 1 : 0));
    REQUIRE(drive->read(12 * blocks, blocks) == Status::ok);
    CHECK(drive.metric("read_cache.hits") == (on == ReadAheadOn::any_read ? 2 : 1));
    CHECK(drive->scoreboard().errors() == 0);
  }
}

TEST_CASE("read cache: delivered sectors are a miss where they are given up, and what was read ahead is still a hit") {
  for (const bool keep : {true, false}) {
    TestDrive drive(make_cmr_factory(), {}, spinning_drive(),
                    cached({.segments = 2, .segment_sectors = 16, .read_ahead = 8, .read_ahead_step = 4, .keep_delivered = keep}));
    REQUIRE(drive->write(0, 64 * blocks) == Status::ok);
    REQUIRE(drive->read(0, 2 * blocks) == Status::ok);
    drive->run_until_idle(1_s);
    REQUIRE(drive->read(2 * blocks, 4 * blocks) == Status::ok);  // read ahead
    CHECK(drive.metric("read_cache.hits") == 1);
    drive->run_until_idle(1_s);
    REQUIRE(drive->read(2 * blocks, 4 * blocks) == Status::ok);  // read again
    CHECK(drive.metric("read_cache.hits") == (keep ? 2 : 1));
    drive->run_until_idle(1_s);
    REQUIRE(drive->read(6 * blocks, blocks) == Status::ok);  // the one after it, in the old segment or in the new one
    CHECK(drive.metric("read_cache.hits") == (keep ? 3 : 2));
    CHECK(drive->scoreboard().errors() == 0);
  }
}

TEST_CASE("read cache: where delivered sectors are given up the read-ahead has the whole segment, after a read longer than it as well") {
  for (const bool keep : {true, false}) {
    for (const std::uint32_t host : {8U, 24U}) {
      TestDrive drive(make_cmr_factory(), {}, spinning_drive(),
                      cached({.segments = 1, .segment_sectors = 16, .read_ahead = 16, .read_ahead_step = 4, .keep_delivered = keep}));
      REQUIRE(drive->read(0, host * blocks) == Status::ok);
      drive->run_until_idle(1_s);
      std::uint32_t read = 0;
      for (const auto& step : drive->steps) read += step.run.count;
      const std::uint32_t kept = host < 16 ? 16 - host : 0;  // what the segment has room for next to what was delivered
      CHECK(read == host + (keep ? kept : 16));
    }
  }
}

TEST_CASE("read cache: a hit extends a read-ahead that has ended only where extend_at_hit is on") {
  for (const bool extends : {true, false}) {
    TestDrive drive(make_cmr_factory(), {}, spinning_drive(),
                    cached({.segments = 1, .segment_sectors = 16, .read_ahead = 4, .read_ahead_step = 4, .extend_at_hit = extends}));
    REQUIRE(drive->read(0, blocks) == Status::ok);
    drive->run_until_idle(1_s);
    drive->steps.clear();
    REQUIRE(drive->read(blocks, 3 * blocks) == Status::ok);
    drive->run_until_idle(1_s);
    std::uint32_t read = 0;
    for (const auto& step : drive->steps) read += step.run.count;
    CHECK(read == (extends ? 3 : 0));  // until four sectors after the hit
  }
}

TEST_CASE("read cache: a write takes its sectors, or every segment") {
  for (const bool all : {false, true}) {
    TestDrive drive(make_cmr_factory(), {}, spinning_drive(),
                    cached({.segments = 2, .segment_sectors = 16, .read_ahead = 0, .read_ahead_step = 4, .writes_end_segments = all}));
    REQUIRE(drive->read(0, 2 * blocks) == Status::ok);
    REQUIRE(drive->write(100 * blocks, blocks) == Status::ok);
    REQUIRE(drive->read(0, 2 * blocks) == Status::ok);
    CHECK(drive.metric("read_cache.hits") == (all ? 0 : 1));
    REQUIRE(drive->write(blocks, blocks) == Status::ok);
    REQUIRE(drive->read(0, 2 * blocks) == Status::ok);
    CHECK(drive.metric("read_cache.hits") == (all ? 0 : 1));
    CHECK(drive->scoreboard().errors() == 0);
  }
}

TEST_CASE("read cache: two sequential reads at once share a segment, and the second is a hit that waits") {
  TestDrive drive(make_cmr_factory(), {}, spinning_drive(),
                  cached({.segments = 4, .segment_sectors = 16, .read_ahead = 8, .read_ahead_step = 4}));
  std::uint64_t next = 0;
  drive->submit(HostOp::read, next++ * blocks, blocks);
  for (int i = 0; i < 30; ++i) {
    HostRequest& second = drive->submit(HostOp::read, next++ * blocks, blocks);
    REQUIRE(drive->run_until_done(second) == Status::ok);
  }
  CHECK(drive.metric("read_cache.hits") == 30);
  CHECK(drive->now() < 3 * 10_ms + 10_ms);  // 31 of 16 sectors a turn, with two changes of track
  CHECK(drive->scoreboard().errors() == 0);
}

TEST_CASE("read cache: of 32 sequential reads at once all but the first are hits that wait") {
  TestDrive drive(make_cmr_factory(), {}, spinning_drive(),
                  cached({.segments = 4, .segment_sectors = 64, .read_ahead = 16, .read_ahead_step = 4}));
  for (std::uint64_t i = 0; i < 32; ++i) drive->submit(HostOp::read, 2 * i * blocks, 2 * blocks);
  drive->run_until_all_done();
  CHECK(drive.metric("read_cache.misses") == 1);
  CHECK(drive.metric("read_cache.hits") == 31);
  CHECK(drive->scoreboard().errors() == 0);
}

TEST_CASE("read cache: of reads as large as a segment, at once, none overwrites what another waits for") {
  TestDrive drive(make_cmr_factory(), {}, spinning_drive(),
                  cached({.segments = 2, .segment_sectors = 16, .read_ahead = 16, .read_ahead_step = 4}));
  REQUIRE(drive->write(0, 128 * blocks) == Status::ok);
  drive->run_until_idle(1_s);
  for (std::uint64_t i = 0; i < 8; ++i) drive->submit(HostOp::read, 16 * i * blocks, 16 * blocks);
  drive->run_until_all_done();
  CHECK(drive->scoreboard().errors() == 0);
  CHECK(drive.wrong_blocks() == 0);
}

TEST_CASE("read cache: no read-ahead begins while other commands of the host wait for the platters") {
  TestDrive drive(make_cmr_factory(), {}, spinning_drive(),
                  cached({.segments = 8, .segment_sectors = 16, .read_ahead = 8, .read_ahead_step = 4}));
  for (std::uint64_t i = 0; i < 8; ++i) drive->submit(HostOp::read, (i * 37 % 11) * 40 * blocks, blocks);
  drive->run_until_all_done();
  for (std::size_t i = 0; i < 8; ++i) CHECK(drive->steps[i].run.count == 1);
  drive->run_until_idle(1_s);
  std::uint32_t read = 0;
  for (const auto& step : drive->steps) read += step.run.count;
  CHECK(read == 8 + 8);  // after the last one alone
  CHECK(drive->scoreboard().errors() == 0);
}

TEST_CASE("read cache: reads of the host ring no doorbell to give one another up") {
  std::vector<double> bytes;
  for (const std::uint32_t segments : {0U, 8U}) {
    TestDrive drive(make_cmr_factory(), {}, small_drive(), cached({.segments = segments, .segment_sectors = 16, .read_ahead = 0}));
    for (std::uint64_t i = 0; i < 200; ++i) {
      drive->submit(HostOp::read, i * 37 % 401 * blocks, blocks);
      if (i % 8 == 7) drive->run_until_all_done();
    }
    bytes.push_back(drive.metric("bus.registers.bytes"));
  }
  CHECK(bytes[0] == bytes[1]);
}

TEST_CASE("read cache: a read next to a read-ahead takes a segment and reads on without a turn lost, however many segments there are") {
  for (const std::uint32_t segments : {1U, 2U}) {
    TestDrive drive(make_cmr_factory(), {}, real_drive(),
                    cached({.segments = segments, .segment_sectors = 16, .read_ahead = 8, .read_ahead_step = 4}));
    REQUIRE(drive->read(0, blocks) == Status::ok);
    drive->run_for(1_ms);  // in the first step
    drive->steps.clear();
    REQUIRE(drive->read(200 * blocks, blocks) == Status::ok);
    drive->run_until_idle(1_s);
    REQUIRE(drive->steps.size() >= 2);
    const auto& read = drive->steps[0].run.count == 1 ? drive->steps[0] : drive->steps[1];
    const auto& ahead = drive->steps[0].run.count == 1 ? drive->steps[1] : drive->steps[2];
    CHECK(read.run.count == 1);
    CHECK(ahead.run.count == 4);
    CHECK(ahead.begin + ahead.timing.rotation - read.timing.end < 1_us);
    CHECK(drive.metric("read_cache.misses") == 2);
  }
}

TEST_CASE("read cache: reads without a segment wait for no other read of the host") {
  TestDrive drive(make_cmr_factory(), {}, spinning_drive(), cached({.segments = 1, .segment_sectors = 16, .read_ahead = 0}));
  for (std::uint64_t i = 0; i < 3; ++i) drive->submit(HostOp::read, i * 100 * blocks, blocks);
  drive->run_until_all_done();
  CHECK(drive.metric("disk_channel.queue.max") == 2);  // behind the first
}

TEST_CASE("read cache: every combination of switches reads back right under mixed traffic") {
  for (std::uint32_t mix = 0; mix < 64; ++mix) {
    FirmwareConfig config = cached({.segments = 3,
                                    .segment_sectors = 16,
                                    .read_ahead = 8,
                                    .read_ahead_step = 3,
                                    .read_ahead_start = static_cast<ReadAheadStart>(mix & 1),
                                    .read_ahead_on = static_cast<ReadAheadOn>(mix >> 1 & 1),
                                    .read_ahead_until = static_cast<ReadAheadUntil>(mix >> 5 & 1),
                                    .extend_at_hit = (mix & 4) != 0,
                                    .keep_delivered = (mix & 8) != 0,
                                    .writes_end_segments = (mix & 16) != 0});
    config.write_cache.capacity = 32_KiB;
    TestDrive drive(make_cmr_factory(), {}, small_drive(), config);
    std::uint64_t state = mix + 1;
    std::uint64_t next = 0;
    for (int i = 0; i < 300; ++i) {
      state = state * 6364136223846793005U + 1442695040888963407U;
      const auto count = static_cast<std::uint32_t>((state >> 20) % 40 + 1);
      const std::uint64_t first = (state >> 60) < 8 ? next : (state >> 33) % 300;  // half of them sequential
      next = (first + count) % 300;
      drive->submit((state >> 62) == 0 ? HostOp::write : HostOp::read, first, count);
      if (i % 6 == 5) drive->run_until_all_done();
    }
    drive->run_until_all_done();
    CHECK(drive.wrong_blocks() == 0);
  }
}
