// HWSR without spares where a sector cannot be written: background work tries it once, others leave the write buffer in its place, and it
// is lost alone where its room is needed.
#include "hwsr_drive.hpp"
#include "support/random_histories.hpp"

using namespace tessera;
using namespace tessera::test;

namespace {

constexpr std::uint64_t bad_segment = 5;
constexpr std::uint32_t bad_block = 1;

/// Where a drive of this setup writes the first sector of the block.
NumberRow place_of_bad_sector(HwsrSetup setup) {
  setup.layer.caches.durability = BufferDurability::plp;
  HwsrDrive drive(setup);
  drive.write(drive.at(bad_segment, bad_block), 2);
  drive.bench().steps.clear();
  drive.flush();
  const PhysicalRun run = drive.bench().steps.front().run;
  return {0, static_cast<double>(run.track.radius), static_cast<double>(run.first)};
}

HwsrSetup faulty(BufferDurability durability) {
  HwsrSetup setup;
  setup.bench.media.spare_tracks = 0;
  setup.layer.caches.idle_after = 20_ms;
  setup.layer.caches.durability = durability;
  setup.bench.media.write_fault_sectors = {place_of_bad_sector(setup)};
  return setup;
}

Status read(HwsrDrive& drive, std::uint64_t sector) { return drive.bench().read(sector * blocks_per_sector, blocks_per_sector); }

}  // namespace

TEST_CASE("hwsr: idle work tries a sector that cannot be written once, and the drive rests") {
  HwsrDrive drive(faulty(GENERATE(BufferDurability::plp, BufferDurability::journal, BufferDurability::volatile_memory)));
  const std::uint64_t bad = drive.at(bad_segment, bad_block);
  drive.write(bad, 2);
  drive.write(drive.at(2, 0), 2);
  drive.bench().run_until_idle(10_s);
  CHECK(drive.layer().idle());
  const std::size_t writes = drive.steps(MediaOp::write);
  const double tries = drive.bench().metric("media.faults.write");
  CHECK(tries > 0);
  drive.bench().run_for(600_s);
  CHECK(drive.steps(MediaOp::write) == writes);
  CHECK(drive.bench().metric("media.faults.write") == tries);
  CHECK(read(drive, bad) == Status::ok);  // from the buffer
  drive.check_content();

  SECTION("a write to it has it tried again") {
    drive.write(bad + 1);
    drive.bench().run_until_idle(10_s);
    CHECK(drive.bench().metric("media.faults.write") > tries);
  }
  SECTION("and so has a boot") {
    drive.cut_now();
    drive.write(drive.at(0, 0));  // idle work begins with a host's command
    drive.bench().run_for(10_s);
    CHECK(drive.layer().idle());
    CHECK(drive.bench().metric("media.faults.write") >= (drive.layer().buffer().set_aside() != 0 ? tries + 1 : tries));
  }
}

TEST_CASE("hwsr: FLUSH writes all that can be written, and fails as long as one sector cannot be") {
  HwsrDrive drive(faulty(BufferDurability::plp));
  drive.write(drive.at(bad_segment, bad_block), 2);
  drive.write(drive.at(2, 0), 2);
  CHECK(drive.bench().flush() == Status::media_error);
  CHECK(drive.layer().buffer().used() == 1);
  CHECK(drive.bench().flush() == Status::media_error);
  drive.check_content();
}

TEST_CASE("hwsr: other blocks leave a full buffer in the place of those that cannot be written") {
  HwsrDrive drive(faulty(GENERATE(BufferDurability::plp, BufferDurability::journal)));
  const std::uint64_t bad = drive.at(bad_segment, bad_block);
  drive.write(bad, 2);
  for (std::uint32_t round = 0; round < 5; ++round)
    for (std::uint64_t segment = 0; segment < 4; ++segment) drive.write(drive.at(segment, 2), 2);
  CHECK(drive.bench().metric("media.faults.write") < 40);
  drive.check_content();
}

TEST_CASE("hwsr: what the journal needs the room of is lost alone, a FLUSH says so, and later writes go well") {
  HwsrDrive drive(faulty(BufferDurability::journal));
  const std::uint64_t bad = drive.at(bad_segment, bad_block);
  drive.write(bad, 4);  // this block and the one behind it
  std::uint32_t rounds = 0;
  for (; drive.metric("buffer.given_up") == 0; ++rounds) {
    REQUIRE(rounds < 50);
    for (std::uint64_t segment = 0; segment < 4; ++segment) drive.write(drive.at(segment, 2), 2);
  }
  CHECK(read(drive, bad) != Status::ok);
  CHECK(read(drive, bad + 1) == Status::ok);
  CHECK(drive.bench().flush() == Status::media_error);
  CHECK(drive.bench().flush() == Status::ok);
  drive.write(drive.at(bad_segment, 0), 2);
  drive.bench().run_until_idle(10_s);
  CHECK(read(drive, bad + 2) == Status::ok);  // a later rewrite keeps what was written
  for (std::uint64_t segment = 0; segment < 4; ++segment) drive.write(drive.at(segment, 1), 2);
  drive.cut_now();
  CHECK(read(drive, bad) != Status::ok);
  drive.check_content();
}
