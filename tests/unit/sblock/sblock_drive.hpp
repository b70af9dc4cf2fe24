#pragma once
// The whole layer on the bench: write buffer, flash read cache, and the store of S-blocks.
#include "firmware/layers/sblock/sblock_layer.hpp"
#include "unit/sblock/region_drive.hpp"

namespace tessera::test {

/// Defaults: blocks of 2 sectors, S-blocks of 2 blocks, so that a region has 6 slots, 2 of them internal guard, for 2 S-blocks; a write
/// buffer of 3 blocks and a read cache of 8.
struct SblockSetup : RegionSetup {
  using Layer = sblock::Sblock;
  sblock::SblockConfig layer;

  SblockSetup() {
    layer.caches.block = Bytes(2 * 4096);
    layer.caches.memory = Bytes(3 * 2 * 4096);
    layer.caches.flash = Bytes(8 * 2 * 4096);
    layer.caches.journal = Bytes(64 * 4096);
    layer.caches.journal_stripe = 2;
    layer.sblock_blocks = 2;
    regions.regions = 4;
    bench.nand.emplace();
    bench.nand->blocks = 40;
    bench.nand->pages_per_block = 4;
  }

  [[nodiscard]] sblock::SblockConfig config() const {
    sblock::SblockConfig whole = layer;
    whole.regions = regions;
    return whole;
  }
  [[nodiscard]] std::uint32_t sblock_sectors() const { return layer.sblock_sectors(4096); }
  [[nodiscard]] sblock::RegionConfig region_config() const { return config().region_config(); }
  [[nodiscard]] std::unique_ptr<sblock::Sblock> make(const Ports& ports, const DriveGeometry& geometry, const FormatPlan& plan) const {
    return std::make_unique<sblock::Sblock>(ports, config(), geometry, plan);
  }
};
using SblockDrive = RegionDrive<SblockSetup>;

}  // namespace tessera::test
