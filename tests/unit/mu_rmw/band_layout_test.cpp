// Bands and log on the tracks of a drive: nothing overlaps, nothing is lost, refusals say what would fit.
#include <catch2/catch.hpp>

#include <set>

#include "firmware/flash/band_layout.hpp"

using namespace tessera;

namespace {

/// A media that only knows track lengths.
class Tracks final : public MediaPort {
 public:
  explicit Tracks(const DriveGeometry& geometry) : geometry_(geometry) {}
  void submit(MediaChain&) override {}
  [[nodiscard]] std::uint32_t sectors_on(PhysicalTrack track) const override {
    return geometry_.zone_of(track.radius).sectors_on(track.surface) - (short_tracks.contains(track) ? 1 : 0);
  }
  std::set<PhysicalTrack> short_tracks;

 private:
  const DriveGeometry& geometry_;
};

DriveGeometry two_zones() {
  DriveGeometry geometry;
  geometry.surfaces = 2;
  geometry.zones = {{0, 60, 8, 0}, {60, 50, 6, 0}};
  return geometry;
}

BandRequest request_of(std::uint64_t bands) {
  BandRequest request;
  request.band_sectors = 20;
  request.head_width = 3;
  request.bands = bands;
  request.spares = 1;
  request.log_radii = 2;
  return request;
}

}  // namespace

TEST_CASE("the bands of the paper's drive are 20 tracks of 2 MiB and 2 guard tracks") {
  DriveGeometry geometry;
  geometry.zones = {{0, 257 * 22 + 4, 512, 0}};
  BandRequest request;
  request.band_sectors = 10240;
  request.head_width = 3;
  request.bands = 256;
  request.spares = 1;
  request.log_radii = 4;
  std::string problem;
  const FormatPlan plan = plan_bands(geometry, request, problem);
  REQUIRE(problem.empty());
  for (const Region& region : plan) {
    if (region.format != RecordingFormat::shingled) continue;
    CHECK(region.band_tracks == 20);
    CHECK(region.guard_tracks == 2);
    CHECK(region.head_width == 3);
  }
  CHECK(BandLayout(geometry, plan, 10240, Tracks(geometry)).bands() == 257);
  geometry.zones[0].radii -= 1;
  CHECK(plan_bands(geometry, request, problem).empty());
  CHECK(problem == "256 bands and 1 spare bands of 10240 sectors do not fit: the drive has room for 256 in all");
}

TEST_CASE("bands have as many tracks on every surface, and none is left out where a surface has fewer sectors") {
  DriveGeometry geometry = two_zones();
  geometry.zones[0].surface_sectors = {8, 6};
  BandRequest request = request_of(0);
  request.spares = 0;
  std::string problem;
  const FormatPlan plan = plan_bands(geometry, request, problem);
  REQUIRE(problem.empty());
  const Tracks tracks(geometry);
  const BandLayout layout(geometry, plan, request.band_sectors, tracks);
  CHECK(layout.bands() == bands_in(plan, geometry));
  CHECK(plan.front().band_tracks == 4);  // of 6 sectors
  std::set<PhysicalSector> used;
  for (std::uint64_t band = 0; band < layout.bands(); ++band)
    for (std::uint32_t offset = 0; offset < request.band_sectors;) {
      const PhysicalRun run = layout.locate(band, offset, request.band_sectors - offset);
      REQUIRE(run.first + run.count <= tracks.sectors_on(run.track));
      for (std::uint32_t i = 0; i < run.count; ++i) REQUIRE(used.insert({run.track, run.first + i}).second);
      offset += run.count;
    }
}

TEST_CASE("bands, guards and log share no track, in every zone and on every surface") {
  const DriveGeometry geometry = two_zones();
  std::string problem;
  const FormatPlan plan = plan_bands(geometry, request_of(GENERATE(0U, 3U, 20U, 30U)), problem);
  REQUIRE(problem.empty());
  std::uint64_t behind = 0;
  std::uint64_t log_radii = 0;
  for (const Region& region : plan) {
    CHECK(region.first >= behind);
    behind = region.first + region.count;
    if (region.format == RecordingFormat::conventional) log_radii += region.count;
  }
  CHECK(log_radii == 2);
  CHECK(behind <= geometry.radii());
  const BandLayout layout(geometry, plan, 20, Tracks(geometry));
  std::set<PhysicalSector> seen;
  for (std::uint64_t band = 0; band < layout.bands(); ++band) {
    for (std::uint32_t offset = 0; offset < 20;) {
      const PhysicalRun run = layout.locate(band, offset, 20 - offset);
      REQUIRE(run.count > 0);
      CHECK(run.first + run.count <= geometry.zone_of(run.track.radius).sectors_per_track);
      for (std::uint32_t i = 0; i < run.count; ++i) CHECK(seen.insert({run.track, run.first + i}).second);
      offset += run.count;
    }
  }
  CHECK(seen.size() == layout.bands() * 20);
}

TEST_CASE("without a number, as many bands as fit are planned") {
  const DriveGeometry geometry = two_zones();  // 3 + 2 tracks a band outside (12 places), 4 + 2 inside (8); the log costs one place
  std::string problem;
  const FormatPlan plan = plan_bands(geometry, request_of(0), problem);
  CHECK(BandLayout(geometry, plan, 20, Tracks(geometry)).bands() == (11 + 8) * 2);
}

TEST_CASE("a band with a slipped defect uses its slack, and is left out without slack") {
  const DriveGeometry geometry = two_zones();
  std::string problem;
  const FormatPlan plan = plan_bands(geometry, request_of(0), problem);
  Tracks tracks(geometry);
  const BandLayout whole(geometry, plan, 20, tracks);
  tracks.short_tracks = {{0, 0}};  // band 0: 24 sectors less one
  const BandLayout slipped(geometry, plan, 20, tracks);
  CHECK(slipped.bands() == whole.bands());
  CHECK(slipped.locate(0, 0, 20).count == 7);
  CHECK(slipped.locate(0, 7, 13) == PhysicalRun{{0, 1}, 0, 8});
  CHECK(slipped.locate(1, 0, 20) == whole.locate(1, 0, 20));
  const FormatPlan tight = [&] {
    BandRequest request = request_of(0);
    request.band_sectors = 24;
    return plan_bands(geometry, request, problem);
  }();
  const BandLayout shorter(geometry, tight, 24, tracks);
  CHECK(shorter.bands() + 1 == BandLayout(geometry, tight, 24, Tracks(geometry)).bands());
  CHECK(shorter.locate(0, 0, 24).track == PhysicalTrack{1, 0});
}
