// Several arms over one spindle: each is a drive of its own with the surfaces that it has.
#include <catch2/catch.hpp>
#include <optional>

#include "base/metrics.hpp"
#include "media/media_device.hpp"
#include "small_drive.hpp"

using namespace tessera;
using namespace tessera::literals;
using test::read_step;
using test::tag_of;
using test::tagged;
using test::write_step;

namespace {

MediaConfig skewed(std::uint32_t surfaces, std::uint32_t actuators) {
  MediaConfig config = test::small_drive();
  config.surfaces = surfaces;
  config.actuators = actuators;
  config.track_skew = 11;
  config.cylinder_skew = 17;
  config.head_switch = 700_us;
  config.write_settle = 50_us;
  return config;
}

MediaStep any_step(RandomStream& random, std::uint32_t surfaces) {
  const PhysicalTrack track{static_cast<std::uint32_t>(random.below(surfaces)), static_cast<std::uint32_t>(random.below(50))};
  const auto first = static_cast<std::uint32_t>(random.below(100));
  const PhysicalRun run{track, first, 1 + static_cast<std::uint32_t>(random.below(100))};
  return random.below(2) == 0 ? read_step(run) : write_step(run);
}

std::string problems_of(const MediaConfig& config) {
  std::string all;
  for (const std::string& problem : config.validate()) all += problem + "\n";
  return all;
}

}  // namespace

TEST_CASE("two arms at work at once take the times of two drives with one arm each, to the picosecond") {
  MediaDevice both(skewed(4, 2), {}, ContentMode::none, 1);
  MediaDevice outer(skewed(2, 1), {}, ContentMode::none, 1);
  MediaDevice inner(skewed(2, 1), {}, ContentMode::none, 1);
  std::array<MediaDevice*, 2> alone{&outer, &inner};
  RandomStream random(7, "steps");
  std::array<MediaStep, 2> steps;
  std::array<MediaStep, 2> own;
  std::array<Picoseconds, 2> ends;
  for (int i = 0; i < 2'000; ++i) {
    const std::uint32_t arm = ends[0] <= ends[1] ? 0 : 1;  // the one that is free first goes on
    if (both.busy(arm)) {
      REQUIRE(both.finish(arm) == Status::ok);
      REQUIRE(alone[arm]->finish() == Status::ok);
    }
    own[arm] = steps[arm] = any_step(random, 2);
    steps[arm].run.track.surface += 2 * arm;
    REQUIRE(both.arm_of(steps[arm].run.track) == arm);
    const MediaTiming one = alone[arm]->start(own[arm], ends[arm]);
    const MediaTiming of_two = both.start(steps[arm], ends[arm]);
    REQUIRE(of_two.seek == one.seek);
    REQUIRE(of_two.rotation == one.rotation);
    REQUIRE(of_two.transfer == one.transfer);
    REQUIRE(of_two.end == one.end);
    ends[arm] = of_two.end;
  }
}

TEST_CASE("the arms of a drive show their own heads, and park before their own surfaces") {
  MediaDevice device(skewed(4, 2), {}, ContentMode::none, 1);
  const MediaStep step = read_step({{3, 30}, 5, 1});
  const MediaTiming timing = device.start(step, {});
  CHECK(device.positioning().arm(0).head() == PhysicalTrack{0, 0});
  CHECK(device.positioning().arm(1).head() == PhysicalTrack{3, 30});
  device.cut(timing.end);
  CHECK(device.positioning().arm(1).head() == PhysicalTrack{2, 0});
}

TEST_CASE("a seek that ends while another arm moves settles longer, one that ends after it does not") {
  MediaConfig config = skewed(2, 2);
  config.actuator_settle = 300_us;
  MediaDevice device(config, {}, ContentMode::none, 1);
  const MediaStep far = read_step({{0, 49}, 0, 1});
  const MediaStep near = read_step({{1, 1}, 0, 1});
  const Picoseconds far_seek = device.start(far, {}).seek;  // nobody moves yet
  CHECK(far_seek == 1'490_us);
  CHECK(device.start(near, 100_us).seek == 1'310_us);  // 1,010 us, which end before the other's 1,490
  CHECK(device.finish(1) == Status::ok);
  const MediaStep back = read_step({{1, 0}, 0, 1});
  CHECK(device.start(back, 1'000_us).seek == 1'010_us);
}

TEST_CASE("a power cut ends what each arm writes where its own head is") {
  MediaConfig config = skewed(2, 2);
  config.powerfail_sector = PowerfailSector::corrupt;
  MediaDevice device(config, {}, ContentMode::tags, 1);
  DataBuffer fresh = tagged(50, 7'000);
  const std::array<MediaStep, 2> steps{write_step({{0, 9}, 0, 50}, fresh.all()), write_step({{1, 20}, 40, 50}, fresh.all())};
  std::array<MediaTiming, 2> timing;
  for (std::size_t arm = 0; arm < 2; ++arm) timing[arm] = device.start(steps[arm], {});
  const Picoseconds at = std::min(timing[0].end, timing[1].end) - 50_us;
  device.cut(at);
  device.restore(1'000_ms);
  std::size_t torn = 0;
  for (std::size_t arm = 0; arm < 2; ++arm) {
    INFO("arm " << arm);
    const Picoseconds begin = timing[arm].end - timing[arm].transfer;
    const std::uint64_t passed = at <= begin ? 0 : (at - begin) / 100_us;
    torn += at > begin ? 1 : 0;
    for (std::uint32_t i = 0; i < 50; ++i) {
      DataBuffer one(DramAddress(0), 1, {4096, ContentMode::tags});
      const PhysicalRun& run = steps[arm].run;
      Picoseconds now = 2'000_ms;
      const Status status = [&] {
        const MediaStep read = read_step({run.track, run.first + i, 1}, one.all());
        device.start(read, now);
        return device.finish(static_cast<std::uint32_t>(arm));
      }();
      CHECK((status == Status::ok && tag_of(one, 0) == 7'000 + 8 * i) == (i < passed));
    }
  }
  CHECK(device.torn().size() == torn);
}

TEST_CASE("an assembly of two arms draws its idle power once, and what each arm's work adds to that") {
  const auto energy = [](std::uint32_t actuators, std::size_t working) {
    MediaConfig config = skewed(2, actuators);
    config.actuator_power = Microwatts(1'500'000);
    MediaDevice device(config, {}, ContentMode::none, 1);
    const std::array<MediaStep, 2> steps{read_step({{0, 9}, 0, 50}), read_step({{1, 9}, 0, 50})};
    for (std::size_t arm = 0; arm < working; ++arm) {
      device.start(steps[arm], {});
      REQUIRE(device.finish(static_cast<std::uint32_t>(arm)) == Status::ok);
    }
    return device.statistics().energy(config, 1_s, true);
  };
  CHECK(energy(1, 0) == Approx(5.0));
  CHECK(energy(2, 0) == Approx(6.5));
  const double one = energy(1, 1) - energy(1, 0);
  CHECK(one > 0);
  CHECK(energy(2, 1) - energy(2, 0) == Approx(one));
  CHECK(energy(2, 2) - energy(2, 0) > 1.5 * one);
}

TEST_CASE("arms that do not share out the surfaces are refused, each in one sentence") {
  const auto with = [](std::uint32_t arms, std::vector<NumberRow> rows, std::uint32_t at_once = 0) {
    MediaConfig config = test::small_drive();
    config.surfaces = 4;
    config.actuators = arms;
    config.actuator_surfaces = std::move(rows);
    config.actuators_at_once = at_once;
    return problems_of(config);
  };
  CHECK(with(2, {}).empty());
  CHECK(with(3, {}).empty());
  CHECK(with(2, {{0, 1}, {1, 3}}).empty());
  CHECK(with(5, {}) == "actuators: 5 arms for 4 surfaces; expected a surface for each arm\n");
  CHECK(with(2, {{0, 2}, {1, 3}}) == "actuator_surfaces: arm 1 shares surface 1 with arm 0; expected surfaces from 2 on\n");
  CHECK(with(2, {{0, 3}, {1, 3}}) == "actuator_surfaces: arm 1 shares surfaces 1 to 2 with arm 0; expected surfaces from 3 on\n");
  CHECK(with(2, {{0, 1}, {2, 2}}) == "actuator_surfaces: no arm reaches surface 1\n");
  CHECK(with(2, {{0, 1}, {1, 1}}) == "actuator_surfaces: no arm reaches surfaces 2 to 3\n");
  CHECK(with(2, {{0, 2}, {2, 3}}) == "actuator_surfaces: surface 4, but the drive has surfaces 0 to 3\n");
  CHECK(with(2, {{0, 4}, {4, 0}}) == "actuator_surfaces: arm 1 has no surface\n");
  CHECK(with(2, {{0, 4}}) == "actuator_surfaces: 1 rows for 2 arms\n");
  CHECK(with(2, {}, 3) == "actuators_at_once: 3 of only 2 arms\n");
}

TEST_CASE("arms share the surfaces out as evenly as can be") {
  MediaConfig config = test::small_drive();
  config.surfaces = 5;
  CHECK(arms_of(config) == std::vector<ArmSurfaces>{{0, 5}});
  config.actuators = 2;
  CHECK(arms_of(config) == std::vector<ArmSurfaces>{{0, 2}, {2, 3}});
  CHECK(geometry_of(config).arms == arms_of(config));
}
