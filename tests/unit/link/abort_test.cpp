// Commands that the host gives up: the drive drops what it has not begun, ends the rest, and leaks nothing.
#include <catch2/catch.hpp>

#include "firmware/layers/layer_factories.hpp"
#include "support/random_histories.hpp"
#include "unit/firmware/test_drive.hpp"

using namespace tessera;
using namespace tessera::literals;
using namespace tessera::test;

TEST_CASE("abort: a command that waits for its lock is dropped without effect, one that is under way ends") {
  TestDrive drive(make_cmr_factory(), {});
  REQUIRE(drive->write(0, 8) == Status::ok);
  drive->steps.clear();
  HostRequest& first = drive->submit(HostOp::write, 0, 8);
  HostRequest& second = drive->submit(HostOp::write, 0, 8);
  drive->run_for(1_ms);
  drive->give_up(first);
  drive->give_up(second);
  drive->run_until_all_done();
  CHECK(first.status == Status::aborted);
  CHECK(second.status == Status::aborted);
  CHECK(drive->steps.size() == 1);
  CHECK(drive->controller().idle());
  CHECK(drive.wrong_blocks() == 0);
}

TEST_CASE("abort: a command that waits for buffer space, one on the link and one whose answer is on its way") {
  BenchConfig config = small_drive();
  config.host.buffer = Bytes(4 * 4096);
  config.host.command_overhead = config.host.completion_overhead = 5_us;
  TestDrive drive(make_cmr_factory(), {}, config);
  HostRequest& on_the_link = drive->submit(HostOp::write, 0, 32);
  HostRequest& waits = drive->submit(HostOp::write, 128, 32);
  drive->run_for(1_us);
  drive->give_up(on_the_link);
  drive->give_up(waits);
  drive->run_until_all_done();
  CHECK(on_the_link.status == Status::aborted);
  CHECK(waits.status == Status::aborted);
  CHECK(drive->steps.empty());
  HostRequest& read = drive->submit(HostOp::read, 0, 8);
  while (drive->controller().host_channel().outstanding() == 0) drive->timeline().step();
  while (drive->controller().host_channel().outstanding() > 0) drive->timeline().step();
  drive->give_up(read);  // too late
  CHECK(drive->run_until_done(read) == Status::ok);
  CHECK(drive.wrong_blocks() == 0);
}

TEST_CASE("abort: nothing leaks and nothing wrong is read, whatever is given up when") {
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    CAPTURE(seed);
    RandomStream random(seed, "test.aborts");
    FirmwareConfig config;
    if (seed % 2 == 0) config.write_cache.capacity = Bytes(32 * 4096);
    BenchConfig bench = small_drive();
    bench.host.buffer = Bytes(64 * 4096);
    TestDrive drive(make_imr_rmw_factory(), {{"backup_slots", 1}}, bench, config, 1'000'000);
    std::vector<HostRequest*> open;
    for (int i = 0; i < 300; ++i) {
      const std::uint64_t first = random.below(400 * blocks_per_sector);
      const auto count = pick(random, 1, 80);
      const HostOp op = random.below(3) == 0 ? HostOp::read : random.below(12) == 0 ? HostOp::trim : HostOp::write;
      open.push_back(&drive->submit(op, first, count));
      drive->run_for(Picoseconds(random.below(30'000'000'000)));
      if (HostRequest& given_up = *open[random.below(open.size())];
          random.below(3) == 0 && !FirmwareBench::done(given_up) && !given_up.aborted)
        drive->give_up(given_up);
      if (random.below(60) == 0) {
        drive->cut_now();
        open.assign(1, &drive->submit(HostOp::flush, 0, 0));
      }
    }
    drive->run_until_all_done();
    drive->run_until_idle(100_s);
    CHECK(drive->controller().idle());
    CHECK(drive->write(0, 64 * 8) == Status::ok);  // the whole host buffer is to be had
    for (int tag = 0; tag < 32; ++tag) drive->submit(HostOp::read, 0, 8);
    drive->run_until_all_done();
    CHECK(drive.wrong_blocks() == 0);
  }
}
