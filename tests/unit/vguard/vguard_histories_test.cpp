// Random histories of Virtual Guard with power cuts, on drives of all shapes.
#include "base/random.hpp"
#include "vguard_drive.hpp"

using namespace tessera;
using namespace tessera::test;

namespace {

BenchConfig random_drive(RandomStream& random, std::uint32_t cache) {
  BenchConfig config = vguard_drive(static_cast<std::uint32_t>(1 + random.below(6)), cache);
  MediaConfig& media = config.media;
  media.tracks += static_cast<std::uint32_t>(random.below(band_tracks));  // too few for one more band
  media.surfaces = static_cast<std::uint32_t>(1 + random.below(2));
  media.track_skew = static_cast<std::uint32_t>(random.below(5));
  if (random.below(2) == 0) media.timing = MediaTimingMode::rotational;
  if (random.below(2) == 0) config.controller.scheduling = SchedulingPolicy::shortest_positioning;
  for (std::uint64_t i = random.below(6); i > 0; --i) {
    const auto radius = static_cast<double>(cache + random.below(media.tracks - cache));
    media.slipped_defects.push_back({static_cast<double>(random.below(media.surfaces)), radius, static_cast<double>(1 + random.below(4))});
  }
  const std::uint64_t sector = random.below(4);
  media.powerfail_sector = static_cast<PowerfailSector>(sector);
  config.seed = random();
  return config;
}

void submit(VguardDrive& drive, RandomStream& random) {
  const std::uint64_t user = drive.firmware().user_sectors() * blocks_per_sector;
  const std::uint64_t first = random.below(user);
  const std::uint64_t longest = random.below(6) == 0 ? 500 : 24;
  const auto count = static_cast<std::uint32_t>(1 + random.below(std::min(user - first, longest)));
  const std::uint64_t kind = random.below(20);
  const HostOp op = kind == 0 ? HostOp::trim : kind == 1 ? HostOp::flush : kind < 6 ? HostOp::read : HostOp::write;
  drive->submit(op, op == HostOp::flush ? 0 : first, op == HostOp::flush ? 0 : count, kind == 19);
}

}  // namespace

TEST_CASE("vguard: random requests, up to six at a time, return what was written") {
  for (std::uint64_t run = 0; run < 500; ++run) {
    RandomStream random(run, "vguard histories");
    INFO("run " << run);
    const auto cache = static_cast<std::uint32_t>(3 + random.below(6));
    const BenchConfig config = random_drive(random, cache);
    VguardDrive drive(config, cache, random.below(2) * 3);
    for (int round = 0; round < 60; ++round) {
      for (std::uint64_t i = 1 + random.below(6); i > 0; --i) submit(drive, random);
      drive->run_until_all_done();
    }
    REQUIRE(drive.wrong_blocks() == 0);
  }
}

TEST_CASE("vguard: power cuts at random instants lose nothing that was acknowledged") {
  for (std::uint64_t run = 0; run < 500; ++run) {
    RandomStream random(run, "vguard cuts");
    INFO("run " << run);
    const auto cache = static_cast<std::uint32_t>(3 + random.below(6));
    const BenchConfig config = random_drive(random, cache);
    VguardDrive drive(config, cache, random.below(2) * 3);
    for (int cut = 0; cut < 8; ++cut) {
      for (std::uint64_t i = random.below(40); i > 0; --i) {
        submit(drive, random);
        if (random.below(3) == 0) drive->run_until_all_done();
      }
      drive->cut_after_actions(random.below(600));
      REQUIRE(drive->boot_status() == Status::ok);
      REQUIRE(drive.wrong_blocks() == 0);
    }
  }
}
