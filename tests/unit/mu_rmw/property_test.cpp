// Random histories of reads, writes and trims, several at a time, with power cuts, on drives of all shapes: what was
// acknowledged is what is read (the bench's scoreboard is the plain map).
#include "mu_rmw_drive.hpp"

#include "base/random.hpp"

using namespace tessera;
using namespace tessera::test;

namespace {

MuRmwSetup random_setup(RandomStream& random) {
  MuRmwSetup setup;
  const auto pick = [&random](std::uint64_t low, std::uint64_t high) {
    return static_cast<std::uint32_t>(low + random.below(high - low + 1));
  };
  setup.layer.band_sectors = pick(4, 20);
  setup.layer.slots = pick(1, 9);
  setup.layer.slot_bytes = pick(1, 2) * 2;
  setup.layer.bands = pick(1, 5);
  setup.layer.spare_bands = pick(1, 2);
  setup.layer.head_width = pick(2, 4);
  setup.layer.free_list = static_cast<FreeOrder>(random.below(3));
  setup.layer.merge_buffer = Bytes(std::uint64_t{pick(1, 24)} * 4096);
  setup.bench.media.sectors_per_track = pick(3, 7);
  setup.bench.media.tracks = 200;
  setup.bench.media.surfaces = pick(1, 2);
  setup.bench.nand->blocks = pick(2, 12);
  setup.bench.nand->pages_per_block = pick(1, 6);
  setup.bench.nand->dies = pick(1, 3);
  if (random.below(2) == 0) {
    setup.layer.checkpoint.region = Bytes(16 * 4096);
    setup.layer.checkpoint.every = pick(1, 30);
  }
  setup.bench.seed = random();
  return setup;
}

/// One host operation at a random place; one in `trims` is a TRIM.
HostRequest& submit_random(MuRmwDrive& drive, RandomStream& random, std::uint64_t trims) {
  const std::uint64_t user = drive.layer().user_sectors();
  const std::uint64_t first = random.below(user * 8);
  const auto count =
      static_cast<std::uint32_t>(1 + random.below(std::min<std::uint64_t>(user * 8 - first, random.below(4) == 0 ? 120 : 8)));
  const HostOp op = random.below(trims) == 0 ? HostOp::trim : random.below(3) == 0 ? HostOp::read : HostOp::write;
  return drive.bench().submit(op, first, count);
}

}  // namespace

TEST_CASE("random reads, writes and trims, up to six at a time, return what was written") {
  for (std::uint64_t run = 0; run < 300; ++run) {
    RandomStream random(run, "mu-rmw histories");
    const MuRmwSetup setup = random_setup(random);
    INFO("run " << run);
    MuRmwDrive drive(setup);
    for (int round = 0; round < 60; ++round) {
      const std::uint64_t depth = 1 + random.below(6);
      for (std::uint64_t i = 0; i < depth; ++i) submit_random(drive, random, 12);
      drive.bench().run_until_all_done();
    }
    drive.check_content();
  }
}

TEST_CASE("power cuts at random instants lose nothing that was acknowledged") {
  for (std::uint64_t run = 0; run < 300; ++run) {
    RandomStream random(run, "mu-rmw cuts");
    const MuRmwSetup setup = random_setup(random);
    INFO("run " << run);
    MuRmwDrive drive(setup);
    for (int cut = 0; cut < 8; ++cut) {
      for (std::uint64_t i = 0, writes = random.below(60); i < writes; ++i) {
        submit_random(drive, random, 15);
        if (random.below(3) == 0) drive.bench().run_until_all_done();
      }
      drive.bench().cut_after_actions(random.below(400));
      REQUIRE(drive.bench().boot_status() == Status::ok);
      drive.check_content();
    }
  }
}
