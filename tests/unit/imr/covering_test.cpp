#include <catch2/catch.hpp>
#include <set>

#include "base/random.hpp"
#include "firmware/interlaced/interlaced_tracks.hpp"
#include "firmware/layout/same_angles.hpp"
#include "media/media_config.hpp"
#include "media/recording_physics.hpp"
#include "media/track_geometry.hpp"

using namespace tessera;

namespace {

/// What firmware asks of the medium: how long tracks are.
class Tracks final : public MediaPort {
 public:
  explicit Tracks(const TrackGeometry& geometry) : geometry_(geometry) {}
  void submit(MediaChain&) override {}
  [[nodiscard]] std::uint32_t sectors_on(PhysicalTrack track) const override { return geometry_.sectors_on(track); }

 private:
  const TrackGeometry& geometry_;
};

std::set<std::uint32_t> sectors_of(std::uint32_t first, std::uint32_t count, std::uint32_t on_track) {
  std::set<std::uint32_t> sectors;
  for (std::uint32_t k = 0; k < count; ++k) sectors.insert((first + k) % on_track);
  return sectors;
}

bool contains(const std::set<std::uint32_t>& all, const std::set<std::uint32_t>& some) {
  return std::includes(all.begin(), all.end(), some.begin(), some.end());
}

/// Two zones of an interlaced region, with spares after the sectors of each track.
struct Drawn {
  explicit Drawn(RandomStream& random) {
    const auto sectors = [&random] { return static_cast<double>(2 + random.below(60)); };
    media.surfaces = 1;
    media.track_spares = static_cast<std::uint32_t>(random.below(20));
    media.spare_tracks = 0;
    media.zones = {{3, sectors(), 0, 0, 0, 0}, {7, sectors(), 0, 0, 0, 0}};
    region.name = "data";
    region.count = 8;
    region.format = RecordingFormat::interlaced;
    region.skewed = false;
    region.top_ratio = 0.5 + 0.01 * static_cast<double>(random.below(51));
  }
  MediaConfig media;
  Region region;
};

}  // namespace

TEST_CASE("interlaced: firmware takes all that a write destroys for destroyed, on tracks with spares and across zones") {
  RandomStream random(7, "covering");
  for (int i = 0; i < 20'000; ++i) {
    const Drawn drawn(random);
    const TrackGeometry geometry(drawn.media, {drawn.region});
    const Tracks media(geometry);
    const InterlacedTracks tracks(media, geometry_of(drawn.media), {drawn.region});
    const PhysicalTrack bottom{0, static_cast<std::uint32_t>(2 * random.below(4))};
    const std::uint32_t length = geometry.sectors_on(bottom);
    const PhysicalRun run{bottom, static_cast<std::uint32_t>(random.below(length)), static_cast<std::uint32_t>(1 + random.below(length))};
    const Neighbours neighbours = tracks.neighbours_of(run);
    for (std::uint32_t k = 0; k < neighbours.count; ++k) {
      const PhysicalRun& taken = neighbours.runs[k];
      const TrackShape victim = geometry.shape_of(taken.track);
      const SectorArc arc = overlapped_arc(geometry, geometry.shape_of(bottom), run.first, run.count, victim);
      INFO("run " << run.first << " + " << run.count << " of " << length << ", " << drawn.media.track_spares << " spares, over "
                  << victim.sectors() << ": taken " << taken.first << " + " << taken.count << ", destroyed " << arc.first << " + "
                  << arc.count);
      REQUIRE(taken.count <= victim.sectors());
      REQUIRE(contains(sectors_of(taken.first, taken.count, victim.sectors()), sectors_of(arc.first, arc.count, victim.sectors())));
      REQUIRE(taken.count <= arc.count + 2);
      if (arc.count != 0)
        REQUIRE(
            tracks.box(run).overlaps({0, bottom.radius, bottom.radius + 1, tracks.box(taken).angle_first, tracks.box(taken).angle_end}));
    }
  }
}
