#pragma once
// A small drive on a virtual clock whose layer has zones: what tests ask of them.
#include <cstdint>
#include <utility>

#include "base/zone.hpp"
#include "support/layer_drive.hpp"

namespace tessera::test {

/// `sector`: from the zone's first on.
template <class Layer>
class ZoneDrive : public LayerDrive<Layer> {
 public:
  ZoneDrive(BenchConfig config, const typename LayerDrive<Layer>::Plan& plan, typename LayerDrive<Layer>::Make make,
            std::uint64_t prefilled)
      : LayerDrive<Layer>(config, plan, std::move(make), prefilled) {
    this->bench().scoreboard().expect_zones(this->layer().zone_blocks());
    this->bench().tell_writes_in_order();
  }

  std::uint64_t block(std::uint32_t zone, std::uint64_t sector = 0) {
    return zone * this->layer().zone_blocks() + sector * blocks_per_sector;
  }
  Status manage(HostOp op, std::uint32_t zone) { return this->bench().run_until_done(this->bench().submit(op, block(zone), 0)); }
  ZoneDescriptor zone(std::uint32_t number) { return this->layer().describe(number); }
  ZoneCondition condition(std::uint32_t number) { return zone(number).condition; }
  /// Sectors in front of the write pointer.
  std::uint64_t pointer(std::uint32_t number) { return (zone(number).pointer - zone(number).start) / blocks_per_sector; }
};

}  // namespace tessera::test
