#pragma once
// A small zoned drive on a virtual clock: zones of 12 sectors on tracks of 4, the first of them conventional.
#include <memory>
#include <string>

#include "firmware/layers/zoned/zoned_layer.hpp"
#include "firmware/layers/zoned/zoned_plan.hpp"
#include "support/zone_drive.hpp"

namespace tessera::test {

struct ZonedSetup {
  zoned::ZonedConfig layer;
  BenchConfig bench;
  std::uint64_t prefilled = 0;

  ZonedSetup() {
    layer.zone = sectors(12);
    layer.zones = 8;
    layer.log_radii = 6;
    layer.max_open = 3;
    bench.media.tracks = 64;
    bench.media.sectors_per_track = 4;
    bench.dram.capacity = Bytes(64 << 20);
  }
};

class ZonedDrive : public ZoneDrive<zoned::Zoned> {
 public:
  explicit ZonedDrive(const ZonedSetup& setup = {})
      : ZoneDrive(
            setup.bench, [&](const auto& geometry, std::string& problem) { return zoned::plan_zoned(setup.layer, geometry, problem); },
            [config = setup.layer](const Ports& ports, const auto& geometry, const auto& plan) {
              return std::make_unique<zoned::Zoned>(ports, config, geometry, plan);
            },
            setup.prefilled) {
    bench().scoreboard().expect_zones_cut_at_their_ends();
  }

  Status write_zone(std::uint32_t zone, std::uint64_t sector, std::uint32_t count) {
    return bench().write(block(zone, sector), count * static_cast<std::uint32_t>(blocks_per_sector));
  }
  Status read_zone(std::uint32_t zone, std::uint64_t sector, std::uint32_t count) {
    return bench().read(block(zone, sector), count * static_cast<std::uint32_t>(blocks_per_sector));
  }
};

}  // namespace tessera::test
