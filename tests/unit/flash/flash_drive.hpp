#pragma once
// A whole drive with a layer of the flash family on a virtual clock, small enough to be cut at every instant.
#include <catch2/catch.hpp>

#include <memory>
#include <utility>
#include <vector>

#include "base/random.hpp"
#include "firmware/command_server.hpp"
#include "firmware/layers/pore/layer.hpp"
#include "firmware/layers/skylight_flash.hpp"
#include "support/firmware_bench.hpp"

namespace tessera::test {

inline constexpr std::uint64_t sector_bytes = 4096;
inline Bytes sectors(std::uint64_t count) { return Bytes(count * sector_bytes); }

/// Configuration of layer and hardware. Defaults: four bands of 8 sectors on tracks of 4, flash of 4 blocks of 2 pages.
template <class Config>
struct FlashSetup {
  Config layer;
  BenchConfig bench;

  FlashSetup() {
    cache().band_sectors = 8;
    cache().bands = 4;
    cache().log_radii = 2;
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
class FlashFirmware final : public FirmwareEntry {
 public:
  FlashFirmware(const Ports& ports, const Config& config, const DriveGeometry& geometry, const FormatPlan& plan)
      : layer(ports, config, geometry, plan), server_(ports, layer) {}
  [[nodiscard]] Task<Status> boot(bool after_power_cut) override { return server_.boot(after_power_cut); }
  [[nodiscard]] Task<void> serve(HostCommand& command) override { return server_.serve(command); }
  [[nodiscard]] bool idle() const override { return server_.idle(); }

  Layer layer;

 private:
  CommandServer server_;
};

/// Addresses are drive sectors of 4 KiB.
template <class Layer, class Config>
class FlashDrive {
 public:
  explicit FlashDrive(FlashSetup<Config> setup)
      : geometry_(geometry_of(setup.bench.media)), config_(setup.layer), bench_(planned(setup), [this](const Ports& ports) {
          return std::make_unique<FlashFirmware<Layer, Config>>(ports, config_, geometry_, plan_);
        }) {}

  FirmwareBench& bench() { return bench_; }
  Layer& layer() { return static_cast<FlashFirmware<Layer, Config>&>(bench_.controller().firmware()).layer; }
  void write(std::uint64_t sector, std::uint32_t count = 1) { REQUIRE(bench_.write(sector * 8, count * 8) == Status::ok); }
  void read(std::uint64_t sector, std::uint32_t count = 1) { REQUIRE(bench_.read(sector * 8, count * 8) == Status::ok); }
  void trim(std::uint64_t sector, std::uint32_t count = 1) { REQUIRE(bench_.trim(sector * 8, count * 8) == Status::ok); }
  /// Writes sectors `band`:`offset`, one after the other.
  void write_banded(const std::vector<std::pair<std::uint64_t, std::uint64_t>>& places) {
    for (const auto& [band, offset] : places) write(at(band, offset));
  }
  [[nodiscard]] std::uint64_t at(std::uint64_t band, std::uint64_t offset) const { return band * config_.cache.band_sectors + offset; }
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
  void cut_now() {
    bench_.cut_at(bench_.now());
    REQUIRE(bench_.boot_status() == Status::ok);
  }
  /// Flash commands of a kind since `flash_commands` was cleared.
  std::uint64_t flash(FlashOp op) {
    std::uint64_t count = 0;
    for (const FirmwareBench::FlashRecord& record : bench_.flash_commands) count += record.op == op ? 1 : 0;
    return count;
  }
  /// Sectors moved in regions of this name.
  std::uint64_t moved(const std::string& name, MediaOp op) {
    std::uint64_t count = 0;
    for (const FirmwareBench::StepRecord& step : bench_.steps)
      for (const Region& region : plan_)
        if (step.op == op && region.name == name && step.run.track.radius >= region.first &&
            step.run.track.radius < region.first + region.count)
          count += step.run.count;
    return count;
  }
  /// Time of all media steps since `steps` was cleared.
  Picoseconds media_time() {
    Picoseconds sum;
    for (const FirmwareBench::StepRecord& step : bench_.steps) sum += step.timing.end - step.begin;
    return sum;
  }

 private:
  BenchConfig planned(FlashSetup<Config>& setup) {
    std::string problem;
    plan_ = setup.cache().plan(geometry_, problem);
    INFO(problem);
    REQUIRE(problem.empty());
    setup.bench.plan = plan_;
    return setup.bench;
  }

  DriveGeometry geometry_;
  Config config_;
  FormatPlan plan_;
  FirmwareBench bench_;
};
using SkylightDrive = FlashDrive<SkylightFlash, SkylightFlashConfig>;
using PoreDrive = FlashDrive<pore::Pore, pore::PoreConfig>;

inline std::uint32_t pick(RandomStream& random, std::uint64_t low, std::uint64_t high) {
  return static_cast<std::uint32_t>(low + random.below(high - low + 1));
}

}  // namespace tessera::test
