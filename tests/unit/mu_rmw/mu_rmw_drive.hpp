#pragma once
// A whole drive with MU-RMW on a virtual clock, small enough to be cut at every instant.
#include <memory>
#include <vector>

#include "firmware/layers/mu_rmw/mu_rmw_layer.hpp"
#include "firmware/layers/mu_rmw/mu_rmw_requirements.hpp"
#include "support/layer_drive.hpp"
#include "support/placed_cleaning.hpp"

namespace tessera::test {

/// Configuration of layer and hardware. Defaults: the tiny drive of the examples: P=8, Q=4, U=2, S=3 blocks of 2 pages.
struct MuRmwSetup {
  mu_rmw::MuRmwConfig layer;
  BenchConfig bench;
  CleaningArm cleaning = CleaningArm::any;

  MuRmwSetup() {
    layer.band_sectors = 8;
    layer.slots = 4;
    layer.bands = 2;
    layer.free_list = FreeOrder::lowest;
    layer.log_radii = 4;
    bench.media.tracks = 64;
    bench.media.sectors_per_track = 4;
    bench.dram.capacity = Bytes(64 << 20);
    bench.nand.emplace();
    bench.nand->blocks = 3;
    bench.nand->pages_per_block = 2;
    bench.nand->oob_size = Bytes(512);
  }
};

class MuRmwDrive : public LayerDrive<mu_rmw::MuRmw> {
 public:
  explicit MuRmwDrive(const MuRmwSetup& setup)
      : LayerDrive(
            setup.bench,
            [&](const DriveGeometry& geometry, std::string& problem) { return mu_rmw::plan_drive(setup.layer, geometry, problem); },
            [config = setup.layer, placed = PlacedCleaning(setup.cleaning)](const Ports& ports, const DriveGeometry& geometry,
                                                                            const FormatPlan& plan) mutable {
              return std::make_unique<mu_rmw::MuRmw>(placed(ports, geometry), config, geometry, plan);
            }) {}

  /// Pages programmed, or blocks erased, in order of their start since `flash_commands` was cleared.
  std::vector<std::uint64_t> flash(FlashOp op) {
    std::vector<std::uint64_t> numbers;
    for (const FirmwareBench::FlashRecord& record : bench().flash_commands)
      if (record.op == op) numbers.push_back(op == FlashOp::erase ? record.block.value() : record.page.value());
    return numbers;
  }
};

}  // namespace tessera::test
