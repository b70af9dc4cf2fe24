#pragma once
// A small host-aware drive on a virtual clock: bands of 3 tracks of 8 sectors, zones of 30 sectors that share bands, the first of them
// conventional, and a media cache of 96 sectors.
#include <memory>
#include <string>

#include "firmware/layers/host_aware/host_aware_layer.hpp"
#include "firmware/layers/host_aware/host_aware_plan.hpp"
#include "support/zone_drive.hpp"

namespace tessera::test {

struct HostAwareSetup {
  host_aware::HostAwareConfig layer;
  BenchConfig bench;
  std::uint64_t prefilled = 0;

  HostAwareSetup() {
    layer.zone = sectors(30);
    layer.zones = 8;
    layer.optimal_open = 3;
    layer.log_radii = 6;
    layer.cache.cache = sectors(96);
    layer.cache.map_entries = 64;
    layer.cache.packet = sectors(8);
    layer.cache.checkpoint_every = 6;
    layer.cache.band_tracks = 3;
    layer.cache.merge_buffer = sectors(16);
    layer.cache.idle_cleaning = media_cache::IdleCleaning::off;
    bench.media.tracks = 200;
    bench.media.sectors_per_track = 8;
    bench.dram.capacity = Bytes(64 << 20);
  }
};

class HostAwareDrive : public ZoneDrive<host_aware::HostAware> {
 public:
  explicit HostAwareDrive(const HostAwareSetup& setup = {})
      : ZoneDrive(
            setup.bench,
            [&](const auto& geometry, std::string& problem) { return host_aware::plan_host_aware(setup.layer, geometry, problem); },
            [config = setup.layer](const Ports& ports, const auto& geometry, const auto& plan) {
              return std::make_unique<host_aware::HostAware>(ports, config, geometry, plan);
            },
            setup.prefilled) {}

  void write_zone(std::uint32_t zone, std::uint64_t sector, std::uint32_t count) { write(std::uint64_t{30} * zone + sector, count); }
  void read_zone(std::uint32_t zone, std::uint64_t sector, std::uint32_t count) { read(std::uint64_t{30} * zone + sector, count); }
};

/// Overwrites of a full zone until the media cache has cleaned all that it held before.
inline void clean_all_older(HostAwareDrive& drive, std::uint32_t full_zone) {
  const double before = drive.metric("cleaning.count");
  for (std::uint32_t i = 0; drive.metric("cleaning.count") < before + 3; ++i) drive.write_zone(full_zone, i * 7 % 29, 1 + i % 2);
}

}  // namespace tessera::test
