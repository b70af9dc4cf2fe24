#pragma once
// A whole drive with HWSR on a virtual clock, small enough to be cut at every instant.
#include <catch2/catch.hpp>

#include <memory>
#include <string>

#include "firmware/command_server.hpp"
#include "firmware/layers/hwsr/layer.hpp"
#include "support/firmware_bench.hpp"

namespace tessera::test {

inline constexpr std::uint64_t sector_bytes = 4096;

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

class HwsrFirmware final : public FirmwareEntry {
 public:
  HwsrFirmware(const Ports& ports, const hwsr::HwsrConfig& config, WaveLayout layout)
      : layer(ports, config, std::move(layout)), server_(ports, layer) {}
  [[nodiscard]] Task<Status> boot(bool after_power_cut) override { return server_.boot(after_power_cut); }
  [[nodiscard]] Task<void> serve(HostCommand& command) override { return server_.serve(command); }
  [[nodiscard]] bool idle() const override { return server_.idle(); }

  hwsr::Hwsr layer;

 private:
  CommandServer server_;
};

/// Addresses are drive sectors of 4 KiB.
class HwsrDrive {
 public:
  explicit HwsrDrive(HwsrSetup setup)
      : geometry_(geometry_of(setup.bench.media)),
        config_(setup.layer),
        bench_(planned(setup), [this, filled = setup.prefilled](const Ports& ports) {
          WaveLayout layout(geometry_, plan_, config_.shape(sector_bytes), ports.media);
          auto firmware = std::make_unique<HwsrFirmware>(ports, config_, std::move(layout));
          if (filled != 0) firmware->layer.prefill(filled);
          return firmware;
        }) {}

  FirmwareBench& bench() { return bench_; }
  hwsr::Hwsr& layer() { return static_cast<HwsrFirmware&>(bench_.controller().firmware()).layer; }
  void write(std::uint64_t sector, std::uint32_t count = 1, bool fua = false) {
    REQUIRE(bench_.write(sector * 8, count * 8, fua) == Status::ok);
  }
  void read(std::uint64_t sector, std::uint32_t count = 1) { REQUIRE(bench_.read(sector * 8, count * 8) == Status::ok); }
  void trim(std::uint64_t sector, std::uint32_t count = 1) { REQUIRE(bench_.trim(sector * 8, count * 8) == Status::ok); }
  void flush() { REQUIRE(bench_.flush() == Status::ok); }
  /// First sector of block `index` of a segment.
  [[nodiscard]] std::uint64_t at(std::uint64_t segment, std::uint32_t index) {
    const BlockAddress& address = layer().address();
    return address.first_sector(address.block(segment, index)).value();
  }
  /// Reads back all that was ever written; the number of runs that could not be read.
  [[nodiscard]] std::uint64_t unreadable_runs() {
    std::uint64_t unreadable = 0;
    for (const HostRun& run : bench_.scoreboard().written(2 * 8))
      unreadable += bench_.read(run.first.value(), run.count) == Status::ok ? 0 : 1;
    return unreadable;
  }
  void check_content() {
    REQUIRE(unreadable_runs() == 0);
    INFO((bench_.scoreboard().messages().empty() ? "" : bench_.scoreboard().messages().front()));
    REQUIRE(bench_.scoreboard().errors() == 0);
  }
  double metric(const std::string& name) {
    MetricSet metrics;
    layer().report(metrics);
    const Metric* found = metrics.find(name);
    REQUIRE(found != nullptr);
    return found->value.value_or(-1);
  }
  void cut_now() {
    bench_.cut_at(bench_.now());
    REQUIRE(bench_.boot_status() == Status::ok);
  }
  /// Media steps since the bench's record was cleared.
  [[nodiscard]] std::size_t steps(MediaOp op) const {
    return static_cast<std::size_t>(std::ranges::count(bench_.steps, op, &FirmwareBench::StepRecord::op));
  }

 private:
  BenchConfig planned(HwsrSetup& setup) {
    std::string problem = config_.caches.problem(sector_bytes, config_.region_tracks);
    if (problem.empty()) plan_ = plan_wave(geometry_, config_.shape(sector_bytes), problem);
    if (problem.empty())
      problem = config_.caches.flash_problem({setup.bench.nand->blocks, setup.bench.nand->pages_per_block, 512, sector_bytes}, sector_bytes,
                                             config_.region_tracks);
    INFO(problem);
    REQUIRE(problem.empty());
    setup.bench.plan = plan_;
    return setup.bench;
  }

  DriveGeometry geometry_;
  hwsr::HwsrConfig config_;
  FormatPlan plan_;
  FirmwareBench bench_;
};

}  // namespace tessera::test
