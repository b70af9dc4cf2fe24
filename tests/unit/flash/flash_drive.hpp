#pragma once
// A whole drive with a layer of the flash family on a virtual clock, small enough to be cut at every instant.
#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "firmware/layers/pore/pore_layer.hpp"
#include "firmware/layers/skylight_flash/skylight_flash_layer.hpp"
#include "support/layer_drive.hpp"

namespace tessera::test {

/// Configuration of layer and hardware. Defaults: four bands of 8 sectors on tracks of 4, flash of 4 blocks of 2 pages.
template <class Config>
struct FlashSetup {
  Config layer;
  BenchConfig bench;

  FlashSetup() {
    cache().band_sectors = 8;
    cache().bands = 4;
    cache().log_radii = 4;
    cache().free_list = FreeOrder::lowest;
    bench.media.tracks = 96;
    bench.media.sectors_per_track = 4;
    bench.dram.capacity = Bytes(64 << 20);
    bench.nand.emplace();
    bench.nand->blocks = 4;
    bench.nand->pages_per_block = 2;
    bench.nand->oob_size = Bytes(64);
  }
  FlashCacheConfig& cache() { return layer.cache; }
};
using SkylightSetup = FlashSetup<SkylightFlashConfig>;
using PoreSetup = FlashSetup<pore::PoreConfig>;

template <class Layer, class Config>
class FlashDrive : public LayerDrive<Layer> {
 public:
  explicit FlashDrive(const FlashSetup<Config>& setup)
      : LayerDrive<Layer>(
            setup.bench, [&](const auto& geometry, std::string& problem) { return setup.layer.cache.plan(geometry, problem); },
            [config = setup.layer](const Ports& ports, const auto& geometry, const auto& plan) {
              return std::make_unique<Layer>(ports, config, geometry, plan);
            }),
        band_sectors_(setup.layer.cache.band_sectors) {}

  /// Writes sectors `band`:`offset`, one after the other.
  void write_banded(const std::vector<std::pair<std::uint64_t, std::uint64_t>>& places) {
    for (const auto& [band, offset] : places) this->write(at(band, offset));
  }
  [[nodiscard]] std::uint64_t at(std::uint64_t band, std::uint64_t offset) const { return band * band_sectors_ + offset; }
  /// Flash commands of a kind since `flash_commands` was cleared.
  std::uint64_t flash(FlashOp op) {
    return static_cast<std::uint64_t>(std::ranges::count(this->bench().flash_commands, op, &FirmwareBench::FlashRecord::op));
  }

 private:
  std::uint64_t band_sectors_;
};
using SkylightDrive = FlashDrive<SkylightFlash, SkylightFlashConfig>;
using PoreDrive = FlashDrive<pore::Pore, pore::PoreConfig>;

}  // namespace tessera::test
