// Random histories of reads, writes, flushes and trims, several at a time, with power cuts, on drives of all shapes: what was
// acknowledged is what is read.
#include "base/random.hpp"
#include "static_drive.hpp"

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
  const std::uint64_t bands = 1 + random.below(6);
  const std::uint64_t rest = random.below(band_tracks + width - 1);  // tracks that are too few for one more band
  MediaConfig& media = setup.bench.media;
  setup.bench = small_drive();
  media.surfaces = static_cast<std::uint32_t>(1 + random.below(2));
  media.tracks = static_cast<std::uint32_t>(raz + bands * (band_tracks + width - 1) + rest);
  if (random.below(2) == 0) media.timing = MediaTimingMode::rotational;
  if (random.below(2) == 0) setup.bench.controller.scheduling = SchedulingPolicy::shortest_positioning;
  for (std::uint64_t i = random.below(6); i > 0; --i) {
    const auto radius = static_cast<double>(raz + random.below(media.tracks - raz));
    const auto surface = static_cast<double>(random.below(media.surfaces));
    media.slipped_defects.push_back({surface, radius, static_cast<double>(1 + random.below(4))});
  }
  setup.bench.seed = random();
  // Slipped defects leave at least three quarters of a track.
  const std::uint64_t most = bands * band_tracks * (media.slipped_defects.empty() ? 4 : 3) / 4;
  const std::uint64_t filling = random.below(3);
  setup.prefilled_tracks = filling == 0 ? 0 : filling == 1 ? most : random.below(most + 1);
  return setup;
}

class History {
 public:
  History(const Setup& setup, RandomStream& random)
      : random_(random), drive_(setup.scheme, setup.bench, setup.parameters, setup.prefilled_tracks) {}

  void submit() {
    const std::uint64_t user = drive_.firmware().user_sectors() * blocks_per_sector;
    const std::uint64_t longest = random_.below(6) == 0 ? 500 : 24;
    const std::uint64_t first = random_.below(user);
    const auto count = static_cast<std::uint32_t>(1 + random_.below(std::min(user - first, longest)));
    const std::uint64_t kind = random_.below(20);
    const HostOp op = kind == 0 ? HostOp::trim : kind == 1 ? HostOp::flush : kind < 6 ? HostOp::read : HostOp::write;
    drive_->submit(op, op == HostOp::flush ? 0 : first, op == HostOp::flush ? 0 : count, kind == 19);
  }
  StaticDrive& drive() { return drive_; }

 private:
  RandomStream& random_;
  StaticDrive drive_;
};

}  // namespace

TEST_CASE("static mappings: random requests, up to six at a time, return what was written") {
  for (std::uint64_t run = 0; run < 1000; ++run) {
    RandomStream random(run, "static mapping histories");
    INFO("run " << run);
    const Setup setup = random_setup(random);
    History history(setup, random);
    for (int round = 0; round < 60; ++round) {
      for (std::uint64_t i = 1 + random.below(6); i > 0; --i) history.submit();
      history.drive()->run_until_all_done();
    }
    REQUIRE(history.drive().wrong_blocks() == 0);
  }
}

TEST_CASE("static mappings: power cuts at random instants lose nothing that was acknowledged") {
  for (std::uint64_t run = 0; run < 1000; ++run) {
    RandomStream random(run, "static mapping cuts");
    INFO("run " << run);
    const Setup setup = random_setup(random);
    History history(setup, random);
    for (int cut = 0; cut < 8; ++cut) {
      for (std::uint64_t i = random.below(40); i > 0; --i) {
        history.submit();
        if (random.below(3) == 0) history.drive()->run_until_all_done();
      }
      history.drive()->cut_after_actions(random.below(400));
      REQUIRE(history.drive()->boot_status() == Status::ok);
      REQUIRE(history.drive().wrong_blocks() == 0);
    }
  }
}
