#pragma once
// A small host-aware drive on a virtual clock: bands of 3 tracks of 8 sectors, zones of 30 sectors that share bands, the first of them
// conventional, and a media cache of 96 sectors.
#include <map>
#include <memory>
#include <string>

#include "firmware/layers/host_aware/host_aware_layer.hpp"
#include "firmware/layers/host_aware/host_aware_plan.hpp"
#include "firmware/layers/layer_factories.hpp"
#include "support/zone_drive.hpp"
#include "unit/firmware/test_drive.hpp"

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

/// The same drive with all that firmware has in front of a layer, or below it.
struct DriveWithFirmware : TestDrive {
  static constexpr std::uint32_t zone_sectors = 30;

  explicit DriveWithFirmware(const FirmwareConfig& firmware, const std::map<std::string, double>& more = {})
      : TestDrive(make_host_aware_factory(), layer(more), drive(), firmware) {
    bench().scoreboard().expect_zones(zone_sectors * blocks_per_sector);
    bench().tell_writes_in_order();
  }

  static std::map<std::string, double> layer(std::map<std::string, double> more) {
    constexpr double sector = 4096;
    more.insert({{"zone", zone_sectors * sector},
                 {"zones", 8},
                 {"optimal_open", 3},
                 {"log_radii", 6},
                 {"cache", 96 * sector},
                 {"map_entries", 64},
                 {"packet", 8 * sector},
                 {"checkpoint_every", 6},
                 {"band_tracks", 3},
                 {"merge_buffer", 16 * sector}});
    return more;
  }
  static BenchConfig drive() {
    BenchConfig config = small_drive();
    config.media.tracks = 200;
    config.media.sectors_per_track = 8;
    return config;
  }

  static std::uint64_t block(std::uint32_t zone, std::uint32_t at) { return (std::uint64_t{zone} * zone_sectors + at) * blocks_per_sector; }
  void write(std::uint32_t zone, std::uint32_t first, std::uint32_t end) {
    for (; first < end; ++first) REQUIRE(bench().write(block(zone, first), blocks_per_sector) == Status::ok);
  }
  Status manage(HostOp op, std::uint32_t zone) { return bench().run_until_done(bench().submit(op, block(zone, 0), 0)); }
};

/// Overwrites of a full zone until the media cache has cleaned all that it held before.
inline void clean_all_older(HostAwareDrive& drive, std::uint32_t full_zone) {
  const double before = drive.metric("cleaning.count");
  for (std::uint32_t i = 0; drive.metric("cleaning.count") < before + 3; ++i) drive.write_zone(full_zone, i * 7 % 29, 1 + i % 2);
}

}  // namespace tessera::test
