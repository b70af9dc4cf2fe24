// A drive of two arms, from its host to its platters, against two drives with one arm each.
#include "firmware/layers/layer_factories.hpp"
#include "unit/firmware/test_drive.hpp"

using namespace tessera;
using namespace tessera::literals;
using namespace tessera::test;

namespace {

BenchConfig drive_of(std::uint32_t surfaces, std::uint32_t actuators) {
  BenchConfig config = small_drive();
  config.media.timing = MediaTimingMode::rotational;
  config.media.surfaces = surfaces;
  config.media.actuators = actuators;
  config.media.track_skew = 3;
  config.media.cylinder_skew = 5;
  config.media.head_switch = 700_us;
  config.media.write_settle = 100_us;
  config.media.spare_tracks = 0;
  config.host.link_rate = BytesPerSecond(9'000'000'000'000'000'000);  // no command waits for data of another arm's
  config.controller.scheduling = SchedulingPolicy::shortest_positioning;
  return config;
}

struct Request {
  HostOp op;
  std::uint64_t first;
  std::uint32_t count;
};

/// Of one half of the drive, as one of its own has it.
std::vector<Request> requests(RandomStream& random, std::uint64_t blocks) {
  std::vector<Request> all;
  for (int i = 0; i < 14; ++i) {
    const std::uint64_t first = random.below(static_cast<std::uint32_t>(blocks / 8 - 40)) * 8;
    all.push_back({random.below(2) == 0 ? HostOp::read : HostOp::write, first, 8 * (1 + static_cast<std::uint32_t>(random.below(40)))});
  }
  return all;
}

void submit(FirmwareBench& bench, const std::vector<Request>& all, std::uint64_t from) {
  bench.run_for(100_ms - bench.now());
  bench.steps.clear();
  for (const Request& one : all) bench.submit(one.op, from + one.first, one.count);
}

/// What the arm with this first surface did, as an arm that has surface 0 would.
std::vector<FirmwareBench::StepRecord> steps_of(const FirmwareBench& bench, std::uint32_t first_surface, std::uint32_t surfaces) {
  std::vector<FirmwareBench::StepRecord> own;
  for (FirmwareBench::StepRecord step : bench.steps) {
    if (step.run.track.surface - first_surface >= surfaces) continue;
    step.run.track.surface -= first_surface;
    own.push_back(step);
  }
  return own;
}

}  // namespace

TEST_CASE("two arms: requests on both halves take the times that two drives with one arm take, to the picosecond") {
  const std::uint64_t half = std::uint64_t{32} * 16 * 2 * blocks_per_sector;
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    RandomStream random(seed, "requests");
    TestDrive both(make_cmr_factory(), {}, drive_of(4, 2), {});
    std::vector<Request> of_both;
    std::array<std::vector<FirmwareBench::StepRecord>, 2> alone;
    for (std::uint64_t arm = 0; arm < 2; ++arm) {
      TestDrive one(make_cmr_factory(), {}, drive_of(2, 1), {});
      const std::vector<Request> own = requests(random, half);
      submit(one.bench(), own, 0);
      one.bench().run_until_all_done();
      alone[arm] = steps_of(one.bench(), 0, 2);
      for (Request request : own) {
        request.first += arm * half;
        of_both.push_back(request);
      }
    }
    submit(both.bench(), of_both, 0);
    both.bench().run_until_all_done();
    for (std::uint32_t arm = 0; arm < 2; ++arm) {
      INFO("seed " << seed << ", arm " << arm);
      const auto steps = steps_of(both.bench(), 2 * arm, 2);
      REQUIRE(steps.size() == alone[arm].size());
      for (std::size_t i = 0; i < steps.size(); ++i) {
        REQUIRE(steps[i].run == alone[arm][i].run);
        REQUIRE(steps[i].begin == alone[arm][i].begin);
        REQUIRE(steps[i].timing.end == alone[arm][i].timing.end);
      }
    }
    CHECK(both.bench().scoreboard().errors() == 0);
  }
}
