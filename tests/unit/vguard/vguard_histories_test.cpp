// Random histories of Virtual Guard with power cuts, on drives of all shapes.
#include "support/random_histories.hpp"
#include "vguard_drive.hpp"

using namespace tessera;
using namespace tessera::test;

namespace {

BenchConfig random_drive(RandomStream& random, std::uint32_t cache) {
  BenchConfig config = vguard_drive(pick(random, 1, 6), cache);
  MediaConfig& media = config.media;
  media.tracks += pick(random, 0, band_tracks - 1);  // too few for one more band
  media.surfaces = pick(random, 1, 2);
  media.track_skew = pick(random, 0, 4);
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

constexpr RandomTraffic traffic{.longest = 500, .actions = 600};

}  // namespace

TEST_CASE("vguard: random requests, up to six at a time, return what was written") {
  for (std::uint64_t run = 0; run < 500; ++run) {
    RandomStream random(run, "vguard histories");
    INFO("run " << run);
    const std::uint32_t cache = pick(random, 3, 8);
    const BenchConfig config = random_drive(random, cache);
    VguardDrive drive(config, cache, random.below(2) * 3);
    random_history(drive, random, traffic);
  }
}

TEST_CASE("vguard: power cuts at random instants lose nothing that was acknowledged") {
  for (std::uint64_t run = 0; run < 500; ++run) {
    RandomStream random(run, "vguard cuts");
    INFO("run " << run);
    const std::uint32_t cache = pick(random, 3, 8);
    const BenchConfig config = random_drive(random, cache);
    VguardDrive drive(config, cache, random.below(2) * 3);
    random_cuts(drive, random, traffic);
  }
}
