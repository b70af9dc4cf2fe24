// Random histories of reads, writes, flushes and trims, several at a time, with power cuts, on drives of all shapes: what was
// acknowledged is what is read.
#include "static_drive.hpp"
#include "support/random_histories.hpp"

using namespace tessera;
using namespace tessera::test;

namespace {

struct Setup {
  Scheme scheme;
  BenchConfig bench;
  std::map<std::string, double> parameters;
  std::uint64_t prefilled_tracks = 0;
};

Setup random_setup(RandomStream& random) {
  Setup setup;
  setup.scheme = static_cast<Scheme>(random.below(4));
  const std::uint64_t band_tracks = setup.scheme == Scheme::s1234 ? 2 + random.below(4) : 4;
  const std::uint64_t width = 2 + random.below(3);
  setup.parameters = {{"band_tracks", static_cast<double>(band_tracks)}, {"head_width", static_cast<double>(width)}};
  const std::uint64_t slots = 1 + random.below(3);
  const std::uint64_t random_access = raz + (slots - 1) * 2 * (band_tracks + 1);
  setup.parameters["backup_slots"] = static_cast<double>(slots);
  setup.parameters["raz_tracks"] = static_cast<double>(random_access);
  const std::uint64_t bands = 1 + random.below(6);
  const std::uint64_t rest = random.below(band_tracks + width - 1);  // tracks that are too few for one more band
  MediaConfig& media = setup.bench.media;
  setup.bench = small_drive();
  media.surfaces = pick(random, 1, 2);
  media.tracks = static_cast<std::uint32_t>(random_access + bands * (band_tracks + width - 1) + rest);
  if (random.below(2) == 0) media.timing = MediaTimingMode::rotational;
  if (random.below(2) == 0) setup.bench.controller.scheduling = SchedulingPolicy::shortest_positioning;
  for (std::uint64_t i = random.below(6); i > 0; --i) {
    const auto radius = static_cast<double>(random_access + random.below(media.tracks - random_access));
    const auto surface = static_cast<double>(random.below(media.surfaces));
    media.slipped_defects.push_back({surface, radius, static_cast<double>(1 + random.below(4))});
  }
  add_skew(media, random);
  setup.bench.seed = random();
  // Slipped defects leave at least three quarters of a track.
  const std::uint64_t most = bands * band_tracks * (media.slipped_defects.empty() ? 4 : 3) / 4;
  const std::uint64_t filling = random.below(3);
  setup.prefilled_tracks = filling == 0 ? 0 : filling == 1 ? most : random.below(most + 1);
  return setup;
}

StaticDrive drive_of(const Setup& setup) { return {setup.scheme, setup.bench, setup.parameters, setup.prefilled_tracks}; }

constexpr RandomTraffic traffic{.longest = 500};

}  // namespace

TEST_CASE("static mappings: random requests, up to six at a time, return what was written") {
  for (std::uint64_t run = 0; run < 1000; ++run) {
    RandomStream random(run, "static mapping histories");
    INFO("run " << run);
    StaticDrive drive = drive_of(random_setup(random));
    random_history(drive, random, traffic);
  }
}

TEST_CASE("static mappings: power cuts at random instants lose nothing that was acknowledged") {
  for (std::uint64_t run = 0; run < 1000; ++run) {
    RandomStream random(run, "static mapping cuts");
    INFO("run " << run);
    StaticDrive drive = drive_of(random_setup(random));
    random_cuts(drive, random, traffic);
  }
}
