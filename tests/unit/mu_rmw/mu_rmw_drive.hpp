#pragma once
// A whole drive with MU-RMW on a virtual clock, small enough to be cut at every instant.
#include <catch2/catch.hpp>

#include <memory>
#include <vector>

#include "firmware/command_server.hpp"
#include "firmware/layers/mu_rmw/layer.hpp"
#include "firmware/layers/mu_rmw/requirements.hpp"
#include "support/firmware_bench.hpp"

namespace tessera::test {

/// Configuration of layer and hardware. Defaults: the tiny drive of the examples: P=8, Q=4, U=2, S=3 blocks of 2 pages.
struct MuRmwSetup {
  mu_rmw::MuRmwConfig layer;
  BenchConfig bench;

  MuRmwSetup() {
    layer.band_sectors = 8;
    layer.slots = 4;
    layer.bands = 2;
    layer.free_list = FreeOrder::lowest;
    layer.log_radii = 2;
    bench.media.tracks = 64;
    bench.media.sectors_per_track = 4;
    bench.dram.capacity = Bytes(64 << 20);
    bench.nand.emplace();
    bench.nand->blocks = 3;
    bench.nand->pages_per_block = 2;
    bench.nand->oob_size = Bytes(512);
  }
};

class MuRmwFirmware final : public FirmwareEntry {
 public:
  MuRmwFirmware(const Ports& ports, const mu_rmw::MuRmwConfig& config, const DriveGeometry& geometry, const FormatPlan& plan)
      : layer(ports, config, geometry, plan), server_(ports, layer) {}
  [[nodiscard]] Task<Status> boot(bool after_power_cut) override { return server_.boot(after_power_cut); }
  [[nodiscard]] Task<void> serve(HostCommand& command) override { return server_.serve(command); }
  [[nodiscard]] bool idle() const override { return server_.idle(); }

  mu_rmw::MuRmw layer;

 private:
  CommandServer server_;
};

/// Addresses are drive sectors of 4 KiB.
class MuRmwDrive {
 public:
  explicit MuRmwDrive(MuRmwSetup setup)
      : geometry_(geometry_of(setup.bench.media)),
        config_(setup.layer),
        bench_(planned(setup), [this](const Ports& ports) { return std::make_unique<MuRmwFirmware>(ports, config_, geometry_, plan_); }) {}

  FirmwareBench& bench() { return bench_; }
  mu_rmw::MuRmw& layer() { return static_cast<MuRmwFirmware&>(bench_.controller().firmware()).layer; }
  void write(std::uint64_t sector, std::uint32_t count = 1) { REQUIRE(bench_.write(sector * 8, count * 8) == Status::ok); }
  void read(std::uint64_t sector, std::uint32_t count = 1) { REQUIRE(bench_.read(sector * 8, count * 8) == Status::ok); }
  void trim(std::uint64_t sector, std::uint32_t count = 1) { REQUIRE(bench_.trim(sector * 8, count * 8) == Status::ok); }
  /// Reads everything back and compares.
  void check_content() {
    bench_.verify_all();
    INFO((bench_.scoreboard().messages().empty() ? "" : bench_.scoreboard().messages().front()));
    REQUIRE(bench_.scoreboard().errors() == 0);
    REQUIRE(bench_.unreadable_blocks() == 0);
  }
  double metric(const std::string& name) {
    MetricSet metrics;
    layer().report(metrics);
    const Metric* found = metrics.find(name);
    REQUIRE(found != nullptr);
    return found->value.value_or(-1);
  }

  /// Pages programmed, or blocks erased, in order of their start since `flash_commands` was cleared.
  std::vector<std::uint64_t> flash(FlashOp op) {
    std::vector<std::uint64_t> numbers;
    for (const FirmwareBench::FlashRecord& record : bench_.flash_commands)
      if (record.op == op) numbers.push_back(op == FlashOp::erase ? record.block.value() : record.page.value());
    return numbers;
  }
  /// Sectors moved in shingled regions.
  std::uint64_t band_sectors(MediaOp op) {
    std::uint64_t sectors = 0;
    for (const FirmwareBench::StepRecord& step : bench_.steps)
      for (const Region& region : plan_)
        if (step.op == op && region.format == RecordingFormat::shingled && step.run.track.radius >= region.first &&
            step.run.track.radius < region.first + region.count)
          sectors += step.run.count;
    return sectors;
  }

 private:
  BenchConfig planned(MuRmwSetup& setup) {
    std::string problem;
    plan_ = mu_rmw::plan_drive(setup.layer, geometry_, problem);
    INFO(problem);
    REQUIRE(problem.empty());
    setup.bench.plan = plan_;
    return setup.bench;
  }

  DriveGeometry geometry_;
  mu_rmw::MuRmwConfig config_;
  FormatPlan plan_;
  FirmwareBench bench_;
};

}  // namespace tessera::test
