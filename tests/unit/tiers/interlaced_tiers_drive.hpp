#pragma once
// A whole drive with the layer tessera-imr on a virtual clock: 64 tracks of 16 sectors, full of data.
#include "firmware/layers/tessera_imr/interlaced_tiers_layer.hpp"
#include "support/layer_drive.hpp"

namespace tessera::test {

/// Configuration of layer and hardware. Defaults: a buffer of 32 sectors that is emptied by FLUSH alone, no flash, one backup slot.
struct InterlacedTiersSetup {
  tiers::InterlacedTiersConfig layer;
  BenchConfig bench;
  std::uint64_t prefilled = 400;

  InterlacedTiersSetup() {
    layer.buffer = sectors(32);
    layer.trickle_mark = 100;
    layer.destage_depth = 4;
    layer.destage_run = sectors(8);
    layer.flash = tiers::FlashUse::off;
    layer.bottoms_first = true;
    layer.moving.interlaced.backup_slots = 1;
    layer.moving.interlaced.skip_unwritten = false;
    layer.moving.update_frequency = 20;
    layer.moving.log_records = 4;
    layer.move_threshold = 2;
    layer.cache_tracks = 4;
    bench.media.tracks = 64;
    bench.media.sectors_per_track = track_sectors;
    bench.dram.capacity = Bytes(64 << 20);
  }

  /// Blocks of four pages, for writes of `run` sectors at most.
  void use_flash(std::uint32_t blocks = 12, std::uint32_t run = 2) {
    layer.flash = tiers::FlashUse::on;
    layer.flash_run = run;
    layer.flash_backlog = 8;
    layer.evict_after = Picoseconds(3'600'000'000'000'000);
    NandConfig nand;
    nand.blocks = blocks;
    nand.pages_per_block = 4;
    bench.nand = nand;
  }

  static constexpr std::uint32_t track_sectors = 16;
};

class InterlacedTiersDrive : public LayerDrive<tiers::InterlacedTiers> {
 public:
  explicit InterlacedTiersDrive(const InterlacedTiersSetup& setup)
      : LayerDrive(
            setup.bench, [&](const auto& geometry, std::string& problem) { return setup.layer.plan(geometry, problem); },
            [config = setup.layer](const Ports& ports, const auto& geometry, const auto& plan) {
              return std::make_unique<tiers::InterlacedTiers>(ports, config, geometry, plan);
            },
            setup.prefilled) {}

  /// Where logical track k is physical track k, in front of the reserved ones.
  void write_on(std::uint64_t track, std::uint64_t sector, std::uint32_t count) {
    write(track * InterlacedTiersSetup::track_sectors + sector, count);
  }
};

}  // namespace tessera::test
