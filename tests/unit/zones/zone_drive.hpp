#pragma once
// A whole drive with a layer of the zone family on a virtual clock, small enough to be cut at every instant.
#include <memory>
#include <utility>
#include <vector>

#include "firmware/layers/amphisbaena/amphisbaena_layer.hpp"
#include "firmware/layers/fluid/fluid_layer.hpp"
#include "firmware/layers/skylight_disk/skylight_disk_layer.hpp"
#include "firmware/zones/zone_plan.hpp"
#include "support/layer_drive.hpp"

namespace tessera::test {

/// Configuration of layer and hardware. Defaults: six zones of 8 sectors on tracks of 4, and a buffer of 4 slots.
template <class Config>
struct ZoneSetup {
  Config layer;
  BenchConfig bench;
  std::uint64_t prefilled = 0;

  ZoneSetup() {
    zones().zone = sectors(8);
    zones().zones = 6;
    zones().buffer = sectors(4);
    zones().log_radii = 4;
    bench.media.tracks = 64;
    bench.media.sectors_per_track = 4;
    bench.dram.capacity = Bytes(64 << 20);
  }
  ZoneConfig& zones() { return layer.zones; }
};
using SkylightSetup = ZoneSetup<SkylightDiskConfig>;
using FluidSetup = ZoneSetup<fluid::FluidConfig>;

/// Chunks of 4 sectors, two a zone, and a buffer of eight of them; all writes are labelled hot unless larger than their mean.
struct AmphisbaenaSetup : ZoneSetup<amphisbaena::AmphisbaenaConfig> {
  AmphisbaenaSetup() {
    zones().buffer = sectors(32);
    layer.chunk = sectors(4);
  }
};

/// What a layer keeps for each slot in the log of the zones.
template <class Config>
inline constexpr std::uint64_t slot_notes = 0;
template <>
inline constexpr std::uint64_t slot_notes<amphisbaena::AmphisbaenaConfig> = amphisbaena::StaleRecords::slot_bytes;

template <class Layer, class Config>
class ZoneDrive : public LayerDrive<Layer> {
 public:
  explicit ZoneDrive(const ZoneSetup<Config>& setup)
      : LayerDrive<Layer>(
            setup.bench,
            [&](const auto& geometry, std::string& problem) {
              return plan_zones(setup.layer.zones, geometry, problem, slot_notes<Config>);
            },
            [config = setup.layer](const Ports& ports, const auto& geometry, const auto& plan) {
              return std::make_unique<Layer>(ports, config, geometry, plan);
            },
            setup.prefilled) {}

  /// Writes sectors `zone`:`offset`, one after the other.
  void write_zoned(const std::vector<std::pair<std::uint32_t, std::uint32_t>>& places) {
    for (const auto& [zone, offset] : places) this->write(at(zone, offset));
  }
  [[nodiscard]] std::uint64_t at(std::uint32_t zone, std::uint32_t offset) { return this->layer().store().sector_at(zone, offset).value(); }
  /// The slot that holds a sector, or none.
  [[nodiscard]] std::uint32_t slot(std::uint32_t zone, std::uint32_t offset) {
    const SlotOwners& owners = this->layer().owners();
    for (std::uint32_t slot = 0; slot < owners.slots(); ++slot)
      if (owners.holds(slot, LogicalSector(at(zone, offset)))) return slot;
    return SlotOwners::none;
  }
  [[nodiscard]] std::uint32_t write_pointer(std::uint32_t zone) { return this->layer().store().peek(zone).write_pointer; }
};
using SkylightDrive = ZoneDrive<SkylightDisk, SkylightDiskConfig>;
using FluidDrive = ZoneDrive<fluid::Fluid, fluid::FluidConfig>;
using AmphisbaenaDrive = ZoneDrive<amphisbaena::Amphisbaena, amphisbaena::AmphisbaenaConfig>;

}  // namespace tessera::test
