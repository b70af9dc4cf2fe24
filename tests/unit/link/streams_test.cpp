// Commands with more data than they may hold of the host buffer: link and media at once, nothing lost, no two in each other's way.
#include <catch2/catch.hpp>

#include "firmware/layers/layer_factories.hpp"
#include "support/random_histories.hpp"
#include "unit/firmware/test_drive.hpp"

using namespace tessera;
using namespace tessera::literals;
using namespace tessera::test;

namespace {

/// A turn of 10 ms, 16 sectors of 625 us; the link takes 1 ms a sector. A command may hold eight sectors: pieces of four.
BenchConfig linked_drive() {
  BenchConfig config = small_drive();
  config.media.timing = MediaTimingMode::rotational;
  config.host.link_rate = BytesPerSecond(4096 * 1000);
  config.host.buffer = Bytes(8 * 4096);
  return config;
}

std::vector<Picoseconds> begins(TestDrive& drive) {
  std::vector<Picoseconds> found;
  for (const auto& step : drive->steps) found.push_back(step.begin);
  return found;
}

double streamed(TestDrive& drive, const char* name) {
  MetricSet metrics;
  drive->host().report(metrics, drive->now());
  return *metrics.find(name)->value;
}

}  // namespace

TEST_CASE("streams: the link fills one half of the buffer while the media drains the other") {
  // Pieces 0 and 1 cross until 4 and 8 ms. Sectors 0 to 3 pass at 10 ms, 4 to 7 behind them at 12.5 ms, when half 0 is free and piece 2
  // comes until 16.5 ms; its sectors passed at 15 ms and do again at 25 ms. Piece 3, asked for at 15 ms, crosses from 16.5 to 20.5 ms.
  TestDrive drive(make_cmr_factory(), {}, linked_drive());
  HostRequest& request = drive->submit(HostOp::write, 0, 16 * 8);
  REQUIRE(drive->run_until_done(request) == Status::ok);
  CHECK(begins(drive) == std::vector<Picoseconds>{4_ms, 12'500_us, 16'500_us, 27'500_us});
  CHECK(drive->now() == 30_ms);
  CHECK(request.life.parts[static_cast<std::size_t>(LifePhase::link)] == 13'500_us);  // for pieces 1 and 3, the command's own task's
  CHECK(streamed(drive, "host.streamed") == 1);
  CHECK(streamed(drive, "host.pieces") == 4);
  CHECK(drive.wrong_blocks() == 0);
}

TEST_CASE("streams: the media fills one half of the buffer while the link drains the other") {
  // Sectors 0 to 7 pass until 5 ms; their pieces cross from 2.5 and 6.5 ms on. Half 0 is free at 6.5 ms: sectors 8 to 11 pass from 15 ms,
  // 12 to 15 from 17.5 ms on, and cross until 21.5 and 25.5 ms.
  TestDrive drive(make_cmr_factory(), {}, linked_drive());
  HostRequest& request = drive->submit(HostOp::read, 0, 16 * 8);
  REQUIRE(drive->run_until_done(request) == Status::ok);
  CHECK(begins(drive) == std::vector<Picoseconds>{0_ms, 2'500_us, 6'500_us, 17'500_us});
  CHECK(drive->now() == 25'500_us);
  CHECK(request.life.parts[static_cast<std::size_t>(LifePhase::link)] == 11_ms);  // 5 to 10.5 ms for half 1, and 20 to 25.5 ms
  CHECK(drive->read(0, 8 * 8) == Status::ok);                                     // as much as the buffer holds
  CHECK(streamed(drive, "host.streamed") == 1);
}

TEST_CASE("streams: the media goes from piece to piece without losing a turn, whatever the firmware takes between them") {
  // The link takes 100 us a sector, so that each half is full again before the other one has passed. Interrupt and firmware take 300 us, in
  // which half a sector passes: who is asked for a piece behind the one before comes too late for its first sector, and turns 10 ms for it.
  for (const HostOp op : {HostOp::write, HostOp::read}) {
    BenchConfig config = linked_drive();
    config.host.link_rate = BytesPerSecond(4096 * 10'000);
    config.controller.interrupt_latency = 300_us;
    TestDrive drive(make_cmr_factory(), {}, config);
    HostRequest& request = drive->submit(op, 0, 16 * 8);
    REQUIRE(drive->run_until_done(request) == Status::ok);
    REQUIRE(drive->steps.size() == 4);
    for (std::size_t i = 1; i < 4; ++i) CHECK(drive->steps[i].begin - drive->steps[i - 1].begin <= (i == 1 ? 12'500_us : 2'500_us));
    CHECK(drive.wrong_blocks() == 0);
  }
}

TEST_CASE("streams: pieces cross the link in order, whatever order the media takes them in") {
  // While the head is with another read, both first pieces are queued; shortest positioning begins with the one whose sectors come first.
  int inverted = 0;
  for (std::uint64_t sector = 32; sector < 48; ++sector) {
    BenchConfig config = linked_drive();
    config.host.buffer = Bytes(12 * 4096);
    config.host.window = Bytes(8 * 4096);
    config.controller.scheduling = SchedulingPolicy::shortest_positioning;
    TestDrive drive(make_cmr_factory(), {}, config);
    drive->submit(HostOp::read, sector * 8, 8);
    HostRequest& request = drive->submit(HostOp::read, 0, 16 * 8);
    std::vector<std::uint64_t> crossed;
    while (!FirmwareBench::done(request)) {
      if (request.piece.count != 0 && (crossed.empty() || crossed.back() != request.piece.first.value()))
        crossed.push_back(request.piece.first.value());
      drive->run_for(100_us);
    }
    CHECK(crossed == std::vector<std::uint64_t>{0, 4 * 8, 8 * 8, 12 * 8});
    REQUIRE(drive->steps.size() == 5);
    inverted += drive->steps[1].run.first > drive->steps[2].run.first ? 1 : 0;
    CHECK(drive.wrong_blocks() == 0);
  }
  CHECK(inverted > 0);
}

TEST_CASE("streams: a window smaller than the buffer leaves room for others, and what fits it is held as a whole") {
  BenchConfig config = linked_drive();
  config.host.buffer = Bytes(12 * 4096);
  config.host.window = Bytes(8 * 4096);
  TestDrive drive(make_cmr_factory(), {}, config);
  HostRequest& large = drive->submit(HostOp::write, 0, 9 * 8);
  HostRequest& small = drive->submit(HostOp::write, 32 * 8, 4 * 8);
  REQUIRE(drive->run_until_done(small) == Status::ok);
  CHECK_FALSE(FirmwareBench::done(large));
  drive->run_until_all_done();
  CHECK(streamed(drive, "host.streamed") == 1);
  CHECK(streamed(drive, "host.pieces") == 3);
  CHECK(drive.wrong_blocks() == 0);
}

TEST_CASE("streams: the blocks around a write of any alignment are kept, and it counts as one that had to read them") {
  for (std::uint64_t head = 0; head < 8; ++head) {
    CAPTURE(head);
    BenchConfig config = small_drive();
    config.host.buffer = Bytes(4 * 4096);
    TestDrive drive(make_cmr_factory(), {}, config);
    REQUIRE(drive->write(0, 32 * 8) == Status::ok);
    REQUIRE(drive->write(8 + head, 8 * 8 + 3) == Status::ok);
    CHECK(drive.metric("unaligned.rmw") == 1);
    CHECK(drive.wrong_blocks() == 0);
  }
}

TEST_CASE("streams: a command that is given up ends behind the piece in hand, and its buffer is to be had again") {
  for (const HostOp op : {HostOp::write, HostOp::read}) {
    TestDrive drive(make_cmr_factory(), {}, linked_drive());
    HostRequest& request = drive->submit(op, 0, 64 * 8);
    drive->run_for(14_ms);
    drive->give_up(request);
    drive->run_until_all_done();
    CHECK(request.status == Status::aborted);
    CHECK(drive->steps.size() <= 4);
    CHECK(drive->now() < 40_ms);
    CHECK(drive->write(0, 64 * 8) == Status::ok);
    CHECK(drive->controller().idle());
    CHECK(drive.wrong_blocks() == 0);
  }
}

TEST_CASE("streams: the watchdog counts anew with each piece, for the command and for those behind it") {
  BenchConfig config = linked_drive();
  config.host.timeout = 24_ms;  // the first piece is in at 4 ms, the last is asked for at 15 ms: the command takes 30 ms
  TestDrive drive(make_cmr_factory(), {}, config);
  for (int i = 0; i < 3; ++i) drive->submit(HostOp::write, 0, 16 * 8);
  drive->run_until_all_done();
  CHECK(drive.wrong_blocks() == 0);
  CHECK(drive->host().watchdog().overdue() == 0);
}

TEST_CASE("streams: whatever the buffer, the sizes, the depth and the layer, every command ends and nothing acknowledged is lost") {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    CAPTURE(seed);
    RandomStream random(seed, "test.streams");
    BenchConfig config = small_drive();
    if (random.below(2) == 0) config.media.timing = MediaTimingMode::rotational;
    config.host.buffer = Bytes(pick(random, 2, 24) * 4096 + random.below(4096));
    if (random.below(2) == 0) config.host.window = Bytes(pick(random, 2, config.host.buffer.value() / 4096) * 4096);
    if (random.below(2) == 0) config.host.write_data = WriteData::on_request;
    config.host.link = static_cast<LinkProtocol>(random.below(3));
    config.host.stream_reads = random.below(2) == 0;
    config.host.link_rate = BytesPerSecond(1'000'000 << random.below(8));
    config.host.tags = random.below(4) == 0 ? pick(random, 1, 8) : 32;
    if (random.below(4) == 0) config.controller.staging_buffer = Bytes(2 * 4096);
    config.controller.cores = pick(random, 1, 4);
    config.controller.scheduling = static_cast<SchedulingPolicy>(random.below(4) == 0 ? 3 : 0);
    FirmwareConfig firmware;
    if (random.below(3) == 0) firmware.write_cache.capacity = Bytes(pick(random, 4, 32) * 4096);
    TestDrive drive(random.below(2) == 0 ? make_cmr_factory() : make_imr_rmw_factory(), {}, config, firmware);
    const std::uint64_t user = drive.firmware().user_sectors() * blocks_per_sector;
    for (int round = 0; round < 2; ++round) {
      for (int i = 0; i < 32; ++i) {
        const std::uint64_t first = random.below(user / 2);
        const auto count = pick(random, 1, std::min<std::uint64_t>(user - first, std::uint64_t{8} << random.below(9)));
        submit_random_at(drive.bench(), random, first, count, 6);
      }
      if (random.below(2) == 0)
        drive->cut_after_actions(random.below(3000));
      else
        drive->run_until_all_done();
      CHECK(drive.wrong_blocks() == 0);
    }
    drive->run_until_idle(1000_s);
    CHECK(drive->controller().idle());
  }
}
