#pragma once
// A whole drive with HWSR on a virtual clock, small enough to be cut at every instant.
#include <algorithm>
#include <memory>
#include <string>

#include "firmware/layers/hwsr/hwsr_layer.hpp"
#include "support/layer_drive.hpp"

namespace tessera::test {

/// Defaults: tracks of 8 sectors, blocks of 2, regions of 4 tracks with guards of 2 (so 4 segments a region, 6 regions), a write
/// buffer of 4 blocks, a read cache of 6, and a journal of rewrites with room for three images.
struct HwsrSetup {
  hwsr::HwsrConfig layer;
  BenchConfig bench;
  std::uint64_t prefilled = 0;

  HwsrSetup() {
    block_sectors(2);
    buffer_blocks(4);
    cache_blocks(6);
    layer.region_tracks = 4;
    layer.overlap = 2;
    layer.caches.journal_stripe = 2;
    layer.caches.rewrite_journal = Bytes(2 * 8 * 4 * sector_bytes);
    layer.caches.journal = Bytes(2 * 8 * 4 * sector_bytes);
    layer.caches.fill_buffers = 2;
    bench.media.tracks = 30;
    bench.media.sectors_per_track = 8;
    bench.dram.capacity = Bytes(64 << 20);
    bench.nand.emplace();
    bench.nand->blocks = 64;
    bench.nand->pages_per_block = 4;
  }
  void block_sectors(std::uint32_t sectors) { layer.caches.block = Bytes(sectors * sector_bytes); }
  void buffer_blocks(std::uint32_t blocks) { layer.caches.memory = layer.caches.block * blocks; }
  void cache_blocks(std::uint32_t blocks) { layer.caches.flash = layer.caches.block * blocks; }
};

class HwsrDrive : public LayerDrive<hwsr::Hwsr> {
 public:
  explicit HwsrDrive(const HwsrSetup& setup)
      : LayerDrive(
            setup.bench,
            [&](const DriveGeometry& geometry, std::string& problem) {
              const NandConfig& nand = *setup.bench.nand;
              const BufferConfig& caches = setup.layer.caches;
              const std::uint32_t tracks = setup.layer.region_tracks;
              problem = caches.problem(sector_bytes, tracks);
              if (problem.empty())
                problem = caches.flash_problem({.blocks = nand.blocks,
                                                .pages_per_block = nand.pages_per_block,
                                                .oob_bytes = 512 * nand.subpages,
                                                .page_bytes = static_cast<std::uint32_t>(sector_bytes) * nand.subpages,
                                                .subpages = nand.subpages},
                                               sector_bytes, tracks);
              return problem.empty() ? plan_wave(geometry, setup.layer.shape(sector_bytes), problem) : FormatPlan{};
            },
            [config = setup.layer](const Ports& ports, const DriveGeometry& geometry, const FormatPlan& plan) {
              return std::make_unique<hwsr::Hwsr>(ports, config, geometry, plan);
            },
            setup.prefilled) {}

  /// First sector of block `index` of a segment.
  [[nodiscard]] std::uint64_t at(std::uint64_t segment, std::uint32_t index) {
    const BlockAddress& address = layer().address();
    return address.first_sector(address.block(segment, index)).value();
  }
  /// Media steps since the bench's record was cleared.
  [[nodiscard]] std::size_t steps(MediaOp op) {
    return static_cast<std::size_t>(std::ranges::count(bench().steps, op, &FirmwareBench::StepRecord::op));
  }
};

}  // namespace tessera::test
