// The layout of wave-like shingled regions: the exact addresses, the disk's damage rule, short tracks.
#include <catch2/catch.hpp>

#include <map>
#include <set>
#include <tuple>

#include "base/random.hpp"
#include "firmware/buffer/block_address.hpp"
#include "firmware/layout/wave_layout.hpp"
#include "media/recording_physics.hpp"

using namespace tessera;

namespace {

/// Track lengths of a geometry, with some tracks shorter by slipped defects.
class Tracks final : public MediaPort {
 public:
  explicit Tracks(const DriveGeometry& geometry) : geometry_(geometry) {}
  void submit(MediaChain&) override { FAIL("no media access was expected"); }
  [[nodiscard]] std::uint32_t sectors_on(PhysicalTrack track) const override {
    const auto found = shorter.find({track.surface, track.radius});
    return geometry_.zone_of(track.radius).sectors_per_track - (found == shorter.end() ? 0 : found->second);
  }
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> shorter;

 private:
  DriveGeometry geometry_;
};

DriveGeometry drive(std::uint32_t radii, std::uint32_t sectors, std::uint32_t surfaces = 1) {
  DriveGeometry geometry;
  geometry.surfaces = surfaces;
  geometry.zones = {{.first_radius = 0, .radii = radii, .sectors_per_track = sectors}};
  return geometry;
}

/// A layout with its address arithmetic, by logical sector.
struct Layout {
  Layout(const DriveGeometry& geometry, const WaveShape& shape)
      : tracks(geometry),
        plan(plan_wave(geometry, shape, problem)),
        layout(geometry, plan, shape, tracks),
        address(shape.block_sectors, shape.region_tracks) {}
  [[nodiscard]] std::pair<std::uint32_t, std::uint32_t> at(std::uint64_t lba) const {
    const BlockRun piece = address.first_block({LogicalSector(lba), 1});
    const PhysicalRun run = layout.locate(address.segment_of(piece.block), address.index_of(piece.block), piece.first, 1);
    return {run.track.radius, run.first};
  }
  std::string problem;
  Tracks tracks;
  FormatPlan plan;
  WaveLayout layout;
  BlockAddress address;
};

using Place = std::pair<std::uint32_t, std::uint32_t>;

}  // namespace

TEST_CASE("logical addresses of the paper's drive lie where regions, direction and guards put them") {
  const Layout layout(drive(96, 8192), {.region_tracks = 20, .overlap = 8, .block_sectors = 64});
  CHECK(layout.at(0) == Place(0, 0));
  CHECK(layout.at(64) == Place(1, 0));
  CHECK(layout.at(1279) == Place(19, 63));
  CHECK(layout.at(1280) == Place(0, 64));
  CHECK(layout.at(163'840) == Place(47, 0));
  CHECK(layout.at(163'904) == Place(46, 0));
  CHECK(layout.at(165'119) == Place(28, 63));
  CHECK(layout.at(327'680) == Place(48, 0));
}

TEST_CASE("the linear variant is equation 5 of the paper") {
  const Layout layout(drive(96, 8192), {.region_tracks = 20, .overlap = 8, .block_sectors = 64, .variant = WaveVariant::paper_linear});
  const auto pba = [&](std::uint64_t lba) { return layout.at(lba).first * std::uint64_t{8192} + layout.at(lba).second; };
  CHECK(pba(200'000) == 206'592);  // region 1, segment 28, block 5
  const auto equation_5 = [](std::uint64_t lba) {
    const std::uint64_t s_blk = 64, s_seg = 20 * s_blk, s_t = 8192, s_reg = 20 * s_t;
    return lba / s_reg * s_reg + lba % s_seg / s_blk * s_t + lba % s_reg / s_seg * s_blk + lba % s_blk;
  };
  RandomStream random(1, "equation 5");
  for (int i = 0; i < 10'000; ++i) {
    const std::uint64_t lba = random.below(4 * 20 * 8192);
    REQUIRE(pba(lba) == equation_5(lba));
  }
}

TEST_CASE("the linear variant counts in tracks of its own, whatever the medium's hold") {
  const std::uint32_t medium = GENERATE(2048U, 3008U, 8192U, 20'480U);
  const std::uint32_t radii = 4 * 20 * 8192 / medium + 1;
  const Layout layout(
      drive(radii, medium),
      {.region_tracks = 20, .overlap = 8, .block_sectors = 64, .variant = WaveVariant::paper_linear, .track_sectors = 8192});
  REQUIRE(layout.layout.segments() == 4 * 128);
  const auto pba = [&](std::uint64_t lba) { return layout.at(lba).first * std::uint64_t{medium} + layout.at(lba).second; };
  CHECK(pba(200'000) == 206'592);  // as on a medium whose tracks are the layout's
  CHECK(pba(64) == 8192);          // the next block of a segment is a track of the layout away
  CHECK(pba(4 * 20 * 8192 - 1) == 4 * 20 * 8192 - 1);
}

TEST_CASE("a region that lies on part of a short track is left out") {
  const WaveShape shape{.region_tracks = 3, .overlap = 2, .block_sectors = 4, .variant = WaveVariant::paper_linear, .track_sectors = 24};
  const DriveGeometry geometry = drive(10, 16);  // a region has 72 sectors: four tracks and a half
  Tracks tracks(geometry);
  std::string problem;
  const FormatPlan plan = plan_wave(geometry, shape, problem);
  CHECK(WaveLayout(geometry, plan, shape, tracks).segments() == 2 * 6);
  tracks.shorter[{0, 9}] = 1;  // beyond both
  CHECK(WaveLayout(geometry, plan, shape, tracks).segments() == 2 * 6);
  tracks.shorter[{0, 3}] = 1;  // in the first
  const WaveLayout second(geometry, plan, shape, tracks);
  CHECK(second.segments() == 6);
  CHECK(second.locate(0, 0, 0, 1).track.radius == 4);
  CHECK(second.locate(0, 0, 0, 1).first == 8);
  tracks.shorter[{0, 4}] = 1;  // in both
  CHECK(WaveLayout(geometry, plan, shape, tracks).segments() == 0);
}

TEST_CASE("tracks of the layout that do not fit say what was found and what was expected") {
  const auto problem = [](const WaveShape& shape) { return Layout(drive(96, 2048), shape).problem; };
  CHECK(problem({.track_sectors = 8192}) ==
        "track_sectors is 8192, but the blocks of a segment share an angle of the medium's tracks: set layout = "
        "\"paper_linear\", or track_sectors = 0");
  CHECK(problem({.variant = WaveVariant::paper_linear, .track_sectors = 100}) ==
        "track_sectors is 100; expected a multiple of the block's 64 sectors, or 0 for the medium's tracks");
  CHECK(
      problem({.variant = WaveVariant::paper_linear, .track_sectors = 16'384}) ==
      "no zone of the drive has room for a region of 20 tracks of 16384 sectors (track_sectors): make region_tracks, track_sectors or the "
      "block smaller");
  CHECK(problem({.variant = WaveVariant::paper_linear, .track_sectors = 8192}).empty());
}

TEST_CASE("every logical sector has a place of its own, on tracks of the plan") {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    RandomStream random(seed, "wave layouts");
    const auto below = [&](std::uint64_t n) { return static_cast<std::uint32_t>(random.below(n)); };
    DriveGeometry geometry = drive(10 + below(60), 3 + below(30), 1 + below(2));
    geometry.zones.push_back({.first_radius = geometry.radii(), .radii = 1 + below(40), .sectors_per_track = 2 + below(20)});
    WaveShape shape{.region_tracks = 1 + below(7),
                    .overlap = 1 + below(5),
                    .block_sectors = 1 + below(4),
                    .variant = static_cast<WaveVariant>(below(2))};
    if (shape.variant == WaveVariant::paper_linear) shape.track_sectors = below(12) * shape.block_sectors;
    const Layout layout(geometry, shape);
    INFO("seed " << seed << ": " << layout.problem);
    if (!layout.problem.empty()) continue;
    std::set<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>> seen;
    for (std::uint64_t segment = 0; segment < layout.layout.segments(); ++segment)
      for (std::uint32_t index = 0; index < shape.region_tracks; ++index) {
        const PhysicalRun run = layout.layout.locate(segment, index, 0, shape.block_sectors);
        REQUIRE(run.track.surface < geometry.surfaces);
        REQUIRE(run.first + run.count <= geometry.zone_of(run.track.radius).sectors_per_track);
        for (std::uint32_t sector = 0; sector < run.count; ++sector)
          REQUIRE(seen.insert({run.track.surface, run.track.radius, run.first + sector}).second);
      }
  }
}

TEST_CASE("a write of a block damages later blocks of its segment and the guard, and nothing else") {
  const std::uint32_t tracks = 5, overlap = GENERATE(2U, 3U, 6U);
  const WaveShape shape{.region_tracks = tracks, .overlap = overlap, .block_sectors = 4};
  const Layout layout(drive(4 * (2 * tracks + overlap) + tracks + overlap, 16), shape);
  std::map<std::uint32_t, std::pair<std::uint64_t, std::uint32_t>> owner;  // region and block of a radius
  for (std::uint64_t segment = 0; segment < layout.layout.segments(); segment += 4)
    for (std::uint32_t index = 0; index < tracks; ++index)
      owner[layout.layout.locate(segment, index, 0, 1).track.radius] = {segment / 4, index};
  REQUIRE(owner.size() == 9 * tracks);
  MediaConfig media;
  media.tracks = 4 * (2 * tracks + overlap) + tracks + overlap;
  media.sectors_per_track = 16;
  const TrackGeometry physics(media, layout.plan);
  for (const auto& [radius, block] : owner) {
    const DamageReach reach = damage_reach(physics, physics.group_of(radius), radius);
    CHECK(reach.below + reach.above == overlap - 1);
    for (std::uint32_t hurt = radius - reach.below; hurt <= radius + reach.above; ++hurt) {
      if (hurt == radius || !owner.contains(hurt)) continue;
      CHECK(owner[hurt].first == block.first);
      CHECK(owner[hurt].second > block.second);
    }
  }
}

TEST_CASE("a region with a short track is left out, and those behind it follow") {
  const WaveShape shape{.region_tracks = 3, .overlap = 2, .block_sectors = 4};
  const DriveGeometry geometry = drive(24, 16);
  Tracks tracks(geometry);
  std::string problem;
  const FormatPlan plan = plan_wave(geometry, shape, problem);
  CHECK(WaveLayout(geometry, plan, shape, tracks).segments() == 6 * 4);
  tracks.shorter[{0, 6}] = 1;   // in region 1, of radii 5 to 7
  tracks.shorter[{0, 3}] = 1;   // in a guard: no matter
  tracks.shorter[{0, 16}] = 2;  // in region 4, of radii 16 to 18
  const WaveLayout layout(geometry, plan, shape, tracks);
  CHECK(layout.segments() == 4 * 4);
  CHECK(layout.locate(3, 0, 0, 1).track.radius == 0);
  CHECK(layout.locate(4, 0, 0, 1).track.radius == 8);
  CHECK(layout.locate(8, 0, 0, 1).track.radius == 15);
  CHECK(layout.locate(12, 0, 0, 1).track.radius == 23);
}

TEST_CASE("the last region of a zone may stand alone if its guard has room") {
  const WaveShape shape{.region_tracks = 3, .overlap = 2, .block_sectors = 4};
  for (const auto& [radii, regions] : std::map<std::uint32_t, std::uint64_t>{{8, 2}, {12, 2}, {13, 3}, {15, 3}, {16, 4}}) {
    const Layout layout(drive(radii, 16), shape);
    CHECK(layout.layout.segments() == regions * 4);
  }
  const Layout none(drive(4, 16), shape);
  CHECK(none.plan.empty());
  CHECK(none.problem.starts_with("no zone of the drive has the 5 tracks of 4 sectors or more"));
}

TEST_CASE("utilisation follows the formulas of section III-B") {
  const auto ratio = [](double tracks, double overlap, double spare) { return WaveLayout::h_s_ratio(tracks, overlap, spare); };
  CHECK(ratio(10, 8, 0.3) == Approx(2.653).margin(0.0005));
  CHECK(ratio(20, 8, 0.3) == Approx(2.143).margin(0.0005));
  CHECK(ratio(40, 8, 0.3) == Approx(1.818).margin(0.0005));
  CHECK(ratio(100, 8, 0.3) == Approx(1.593).margin(0.0005));
  CHECK(ratio(10, 8, 0.1) == Approx(2.06).margin(0.005));
  CHECK(ratio(20, 8, 0.1) == Approx(1.67).margin(0.005));
  CHECK(ratio(40, 8, 0.1) == Approx(1.41).margin(0.005));
  CHECK(ratio(100, 8, 0.1) == Approx(1.24).margin(0.005));
  // What the wave gains alone, over guards of the same width between all regions.
  CHECK(WaveLayout::utilisation(10, 8) / (10.0 / 18) == Approx(1.286).margin(0.0005));
  CHECK(WaveLayout::utilisation(20, 8) / (20.0 / 28) == Approx(1.167).margin(0.0005));
  // kappa tracks under the head, each track a kappa-th of a conventional one.
  CHECK(8 * WaveLayout::utilisation(10, 8) == Approx(5.714).margin(0.0005));
  CHECK(8 * WaveLayout::utilisation(20, 8) == Approx(6.667).margin(0.0005));
}
