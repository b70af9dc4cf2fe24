// The two drives that others measured: their shape, and the averages that their geometry and curves imply.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>

#include "base/random.hpp"
#include "drive_file.hpp"
#include "media/media_device.hpp"
#include "small_drive.hpp"

using namespace tessera;
using namespace tessera::literals;

namespace {

struct Facts {
  std::uint32_t surfaces;
  std::uint32_t cylinders;
  std::uint64_t sectors;   // that the zones hold beside their spares, those in front of the first logical sector not counted
  std::uint64_t exported;  // 0: all of them
  Picoseconds turn;
  std::vector<std::uint32_t> zone_firsts;
};

const Facts hp{7, 2982, 2'056'008, 0, 11'119'347'665_ps, {0, 994, 1135, 1311, 1626, 1967, 2256, 2609}};
const Facts cheetah{12,
                    6962,
                    17'918'387,
                    17'783'240,
                    5'973'120'956_ps,
                    {0, 847, 848, 1644, 1645, 2393, 2394, 3097, 3098, 3758, 3759, 4380, 4381, 4965, 4966, 5516, 6032, 6518}};

void check_shape(const std::string& drive, const Facts& facts) {
  const MediaConfig config = test::media_of_drive(drive);
  const DriveGeometry geometry = geometry_of(config);
  CHECK(geometry.surfaces == facts.surfaces);
  CHECK(geometry.radii() == facts.cylinders);
  std::uint64_t held = geometry.physical_sectors() - geometry.reserved_sectors;
  for (const GeometryZone& zone : geometry.zones) held -= zone.spare_sectors;
  CHECK(held == facts.sectors);
  CHECK(geometry.exported_sectors == facts.exported);
  CHECK(geometry.sector_bytes == 512);
  REQUIRE(geometry.zones.size() == facts.zone_firsts.size());
  const TrackGeometry tracks(config, {});
  CHECK(tracks.revolution() == facts.turn);
  for (std::size_t z = 0; z < geometry.zones.size(); ++z) {
    const std::uint32_t first = facts.zone_firsts[z];
    CHECK(geometry.zones[z].first_radius == first);
    CHECK(tracks.sectors_on({0, first}) == static_cast<std::uint32_t>(config.zones[z][1]));
    if (z > 0) CHECK(tracks.sectors_on({0, first - 1}) == static_cast<std::uint32_t>(config.zones[z - 1][1]));
  }
}

/// Mean time to get from one uniformly drawn sector to another, and of a sector's transfer, by enumeration.
struct Means {
  double arm = 0;       // ps: seek or head switch
  double moved = 0;     // share of accesses that change the track
  double transfer = 0;  // ps
};

Means enumerate(const MediaDevice& device, const MediaConfig& config) {
  const TrackGeometry& geometry = device.geometry();
  std::vector<double> weight(geometry.radii());
  double all = 0;
  for (std::uint32_t r = 0; r < geometry.radii(); ++r) all += weight[r] = geometry.sectors_on({0, r});
  std::vector<double> share(geometry.radii());  // of pairs at each distance
  for (std::uint32_t a = 0; a < geometry.radii(); ++a)
    for (std::uint32_t b = 0; b < geometry.radii(); ++b) share[a > b ? a - b : b - a] += weight[a] * weight[b] / (all * all);
  const double same_surface = 1.0 / config.surfaces;
  Means means;
  for (std::uint32_t d = 0; d < geometry.radii(); ++d) {
    const auto seek = static_cast<double>(device.seek_curve().time(d).value());
    const auto head_switch = static_cast<double>(config.head_switch.value());
    means.arm += share[d] * (same_surface * seek + (1 - same_surface) * std::max(seek, head_switch));
  }
  means.moved = 1 - share[0] * same_surface;
  const auto turn = static_cast<double>(geometry.revolution().value());
  for (const double sectors : weight) means.transfer += sectors / all * turn / sectors;
  return means;
}

/// 10,000 single-sector accesses, uniform over the platters, each after a pause that leaves the spindle anywhere.
void check_averages(const std::string& drive, MediaOp op) {
  const MediaConfig config = test::media_of_drive(drive);
  MediaDevice device(config, {}, ContentMode::none, 1);
  const TrackGeometry& geometry = device.geometry();
  const Means means = enumerate(device, config);
  std::vector<std::uint64_t> before(geometry.radii() + 1);  // sectors of one surface in front of a radius
  for (std::uint32_t r = 0; r < geometry.radii(); ++r) before[r + 1] = before[r] + geometry.sectors_on({0, r});

  RandomStream random(1, "accesses");
  Picoseconds now;
  constexpr int accesses = 10'000;
  double sum = 0;
  double squares = 0;
  for (int i = -1; i < accesses; ++i) {
    const std::uint64_t pick = random.below(before.back());
    const auto radius = static_cast<std::uint32_t>(std::upper_bound(before.begin(), before.end(), pick) - before.begin() - 1);
    const PhysicalTrack track{static_cast<std::uint32_t>(random.below(config.surfaces)), radius};
    const MediaStep step{op, StepHint::position, {track, static_cast<std::uint32_t>(pick - before[radius]), 1}, {}, {}, nullptr};
    now += Picoseconds(random.below(geometry.revolution().value()));
    const MediaTiming timing = device.start(step, now);
    REQUIRE(ok(device.finish()));
    const auto service = static_cast<double>((timing.end - now).value());
    now = timing.end;
    if (i < 0) continue;  // the first starts from the ramp
    sum += service;
    squares += service * service;
  }
  const double mean = sum / accesses;
  const double deviation = std::sqrt((squares / accesses - mean * mean) / accesses);  // of the mean
  double expected = means.arm + static_cast<double>(geometry.revolution().value()) / 2 + means.transfer;
  if (op == MediaOp::write) expected += means.moved * static_cast<double>(config.write_settle.value());
  INFO(drive << ": mean " << mean / 1e9 << " ms, expected " << expected / 1e9 << " ms, deviation " << deviation / 1e9 << " ms");
  CHECK(std::abs(mean - expected) < 4 * deviation);  // 4 sigma: 1 in 16,000, and the seed is fixed
  CHECK(deviation < 0.1e9);                          // so that the bound above means something
}

}  // namespace

TEST_CASE("the HP C3323A has the published shape: cylinders, zones' first sectors, capacity, turn") {
  check_shape("hp-c3323a", hp);
  check_shape("hp-c3323a-mechanics", hp);
}

TEST_CASE("the Cheetah 9LP has the published shape: cylinders, zones' first sectors, capacity, turn") {
  check_shape("cheetah-9lp", cheetah);
  check_shape("cheetah-9lp-mechanics", cheetah);
}

TEST_CASE("seeks of the measured drives are exact at, between and beyond the published points") {
  const MediaConfig hp_config = test::media_of_drive("hp-c3323a");
  const SeekCurve hp_curve = SeekCurve::of(hp_config, hp.cylinders);
  REQUIRE(hp_config.seek_curve.size() == 67);
  CHECK(hp_curve.time(1) == 1178_us);
  CHECK(hp_curve.time(5) == 1739_us);
  CHECK(hp_curve.time(11) == 2686_us);        // between 2.758 at 10 and 2.614 at 12
  CHECK(hp_curve.time(550) == 7'861'500_ns);  // between 7.533 at 500 and 8.190 at 600
  CHECK(hp_curve.time(2976) == 18'116_us);
  CHECK(hp_curve.time(2981) == 18'136_us);  // 5 more at (18.116 - 17.812) / 76 ms each
  const MediaConfig cheetah_config = test::media_of_drive("cheetah-9lp");
  const SeekCurve cheetah_curve = SeekCurve::of(cheetah_config, cheetah.cylinders);
  REQUIRE(cheetah_config.seek_curve.size() == 106);
  CHECK(cheetah_curve.time(1) == 831_us);
  CHECK(cheetah_curve.time(6894) == 10'627_us);
  CHECK(cheetah_curve.time(6850) > 10'540_us);
}

TEST_CASE("10,000 random reads and writes average what geometry and curve say") {
  for (const char* drive : {"hp-c3323a-mechanics", "cheetah-9lp-mechanics"}) {
    check_averages(drive, MediaOp::read);
    check_averages(drive, MediaOp::write);
  }
}

TEST_CASE("reading the measured drives in sequence loses no turn at a track or cylinder switch") {
  for (const char* drive : {"hp-c3323a-mechanics", "cheetah-9lp-mechanics"}) {
    const MediaConfig config = test::media_of_drive(drive);
    MediaDevice device(config, {}, ContentMode::none, 1);
    const TrackGeometry& geometry = device.geometry();
    for (const MediaZone& zone : zones_of(config)) {
      Picoseconds now;
      for (std::uint32_t radius = zone.shape.first_radius; radius < zone.shape.first_radius + std::min(3u, zone.shape.radii); ++radius) {
        for (std::uint32_t surface = 0; surface < config.surfaces; ++surface) {
          const std::uint32_t half = zone.shape.sectors_per_track / 2;
          for (const PhysicalRun run :
               {PhysicalRun{{surface, radius}, 0, half}, PhysicalRun{{surface, radius}, half, zone.shape.sectors_per_track - half}}) {
            const MediaStep step = test::read_step(run);
            const MediaTiming timing = device.start(step, now);
            REQUIRE(ok(device.finish()));
            now = timing.end;
            if (run.first == 0 && (radius != zone.shape.first_radius || surface != 0)) {
              const std::uint32_t skew = surface == 0 ? zone.cylinder_skew : zone.track_skew;
              const auto away = geometry.revolution().value() * skew / zone.shape.sectors_per_track;
              REQUIRE((timing.seek + timing.rotation).value() <= away + 1);  // the skew, and no turn beside it
            }
          }
        }
      }
    }
  }
}
