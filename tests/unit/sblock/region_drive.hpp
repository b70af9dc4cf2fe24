#pragma once
// A whole drive with S-blocks on a virtual clock, small enough to be cut at every instant.
#include <memory>
#include <string>

#include "firmware/layers/sblock/region_plan.hpp"
#include "support/layer_drive.hpp"
#include "support/random_histories.hpp"

namespace tessera::test {

/// Hardware and regions. Defaults: tracks of 4 sectors and a head of 2 tracks; two regions of 4 tracks.
struct RegionSetup {
  sblock::RegionConfig regions;
  BenchConfig bench;
  std::uint64_t prefilled = 0;

  RegionSetup() {
    regions.region_tracks = 4;
    regions.overlap = 2;
    regions.regions = 2;
    regions.log_radii = 4;
    bench.media.tracks = 64;
    bench.media.sectors_per_track = 4;
    bench.dram.capacity = Bytes(64 << 20);
  }
};

/// `Setup` is a RegionSetup with the type `Layer`, make(ports, geometry, plan), sblock_sectors() and region_config().
template <class Setup>
class RegionDrive : public LayerDrive<typename Setup::Layer> {
 public:
  explicit RegionDrive(const Setup& setup)
      : LayerDrive<typename Setup::Layer>(
            setup.bench,
            [&](const auto& geometry, std::string& problem) {
              return sblock::plan_sblocks(setup.region_config(), geometry, setup.sblock_sectors(), problem);
            },
            [setup](const Ports& ports, const auto& geometry, const auto& plan) { return setup.make(ports, geometry, plan); },
            setup.prefilled),
        sblock_sectors_(setup.sblock_sectors()) {}

  void write_sblock(std::uint64_t sblock) { this->write(sblock * sblock_sectors_, sblock_sectors_); }
  [[nodiscard]] std::uint32_t slot(std::uint32_t region, std::uint32_t sblock) {
    return this->layer().store().logs().peek_slot(region, sblock);
  }

 private:
  std::uint32_t sblock_sectors_;
};

/// A drive of any shape with S-blocks of `sblock_sectors`.
template <class Setup>
void randomise(Setup& setup, RandomStream& random) {
  for (;;) {
    MediaConfig& media = setup.bench.media;
    media.surfaces = pick(random, 1, 2);
    media.tracks = 300;
    media.sectors_per_track = pick(random, 2, 9);
    media.track_skew = pick(random, 0, 1);
    media.zones.clear();
    if (random.below(2) == 0) {  // last radius, sectors, skews, spare sectors, offset
      const auto sectors = static_cast<double>(media.sectors_per_track);
      media.zones = {{static_cast<double>(pick(random, 20, 80)), sectors + 1, 0, 0, 0, 0}, {299, sectors, 1, 0, 0, 0}};
      media.tracks = media.sectors_per_track = media.track_skew = 0;
    }
    setup.bench.seed = random();
    setup.regions.region_tracks = pick(random, 2, 20);
    setup.regions.overlap = pick(random, 2, 5);
    setup.regions.spare = static_cast<double>(random.below(5)) / 10;
    setup.regions.regions = pick(random, 1, 5);
    setup.regions.log_radii = pick(random, 5, 8);
    media.slipped_defects.clear();
    if (setup.regions.regions > 2 && random.below(2) == 0)  // surface, radius, sectors fewer
      media.slipped_defects = {{0, static_cast<double>(pick(random, 0, 60)), 1}};
    std::string problem;
    const DriveGeometry geometry = geometry_of(setup.bench.media);
    if (plan_sblocks(setup.region_config(), geometry, setup.sblock_sectors(), problem).empty()) continue;
    const std::uint64_t in_region = sblock::shape_of(setup.regions, geometry, setup.sblock_sectors()).sblocks;
    const std::uint64_t capacity = setup.regions.regions * in_region * setup.sblock_sectors();
    const std::uint64_t filling = random.below(3);
    setup.prefilled = filling == 0 ? 0 : filling == 1 ? capacity : random.below(capacity + 1);
    return;
  }
}

/// Requests of many S-blocks, and cuts far into the cleaning that they need.
inline constexpr RandomTraffic region_traffic{.longest = 400, .cuts = 10, .requests = 60, .actions = 600};

}  // namespace tessera::test
