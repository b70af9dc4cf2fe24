#pragma once
// A whole drive with the layer tessera on a virtual clock, small enough to be cut at every instant.
#include "firmware/layers/tessera/tiers_layer.hpp"
#include "support/layer_drive.hpp"

namespace tessera::test {

/// Configuration of layer and hardware. Defaults: a buffer of 32 sectors, no flash, a log of 96 sectors, bands of 3 tracks of 8 sectors.
struct TiersSetup {
  tiers::TiersConfig layer;
  BenchConfig bench;
  std::uint64_t prefilled = 0;

  TiersSetup() {
    layer.buffer = sectors(32);
    layer.trickle_mark = 100;
    layer.destage_depth = 4;
    layer.destage_run = sectors(8);
    layer.flash = tiers::FlashUse::off;
    layer.flash_run = 8;
    layer.flash_backlog = 4;
    layer.log = sectors(96);
    layer.map_entries = 64;
    layer.checkpoint_every = 6;
    layer.band_tracks = 3;
    layer.head_width = 2;
    layer.merge_buffer = sectors(16);
    layer.stream = sectors(8);
    layer.idle_cleaning = media_cache::IdleCleaning::off;
    bench.media.tracks = 120;
    bench.media.sectors_per_track = 8;
    bench.dram.capacity = Bytes(64 << 20);
  }

  /// Twelve blocks of four pages.
  void use_flash(std::uint32_t blocks = 12) {
    layer.flash = tiers::FlashUse::on;
    NandConfig nand;
    nand.blocks = blocks;
    nand.pages_per_block = 4;
    bench.nand = nand;
  }
};

class TiersDrive : public LayerDrive<tiers::Tiers> {
 public:
  explicit TiersDrive(const TiersSetup& setup)
      : LayerDrive(
            setup.bench, [&](const auto& geometry, std::string& problem) { return setup.layer.plan(geometry, problem); },
            [config = setup.layer](const Ports& ports, const auto& geometry, const auto& plan) {
              return std::make_unique<tiers::Tiers>(ports, config, geometry, plan);
            },
            setup.prefilled) {}

  static constexpr std::uint64_t band_sectors = 24;
};

}  // namespace tessera::test
