#pragma once
// A whole drive with a layer of the zone family on a virtual clock, small enough to be cut at every instant.
#include <catch2/catch.hpp>

#include <memory>
#include <utility>
#include <vector>

#include "firmware/command_server.hpp"
#include "firmware/layers/amphisbaena/layer.hpp"
#include "firmware/layers/fluid/layer.hpp"
#include "firmware/layers/skylight_disk.hpp"
#include "firmware/zones/zone_plan.hpp"
#include "support/firmware_bench.hpp"

namespace tessera::test {

inline constexpr std::uint64_t sector_bytes = 4096;
inline Bytes sectors(std::uint64_t count) { return Bytes(count * sector_bytes); }

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
class ZoneFirmware final : public FirmwareEntry {
 public:
  ZoneFirmware(const Ports& ports, const Config& config, const DriveGeometry& geometry, const FormatPlan& plan)
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
class ZoneDrive {
 public:
  explicit ZoneDrive(ZoneSetup<Config> setup)
      : geometry_(geometry_of(setup.bench.media)),
        config_(setup.layer),
        bench_(planned(setup), [this, filled = setup.prefilled](const Ports& ports) {
          auto firmware = std::make_unique<ZoneFirmware<Layer, Config>>(ports, config_, geometry_, plan_);
          if (filled != 0) firmware->layer.prefill(filled);
          return firmware;
        }) {}

  FirmwareBench& bench() { return bench_; }
  [[nodiscard]] const FormatPlan& plan() const { return plan_; }
  Layer& layer() { return static_cast<ZoneFirmware<Layer, Config>&>(bench_.controller().firmware()).layer; }
  void write(std::uint64_t sector, std::uint32_t count = 1) { REQUIRE(bench_.write(sector * 8, count * 8) == Status::ok); }
  void read(std::uint64_t sector, std::uint32_t count = 1) { REQUIRE(bench_.read(sector * 8, count * 8) == Status::ok); }
  void trim(std::uint64_t sector, std::uint32_t count = 1) { REQUIRE(bench_.trim(sector * 8, count * 8) == Status::ok); }
  /// Writes sectors `zone`:`offset`, one after the other.
  void write_zoned(const std::vector<std::pair<std::uint32_t, std::uint32_t>>& places) {
    for (const auto& [zone, offset] : places) write(at(zone, offset));
  }
  [[nodiscard]] std::uint64_t at(std::uint32_t zone, std::uint32_t offset) { return layer().store().sector_at(zone, offset).value(); }
  /// The slot that holds a sector, or none.
  [[nodiscard]] std::uint32_t slot(std::uint32_t zone, std::uint32_t offset) {
    const SlotOwners& owners = layer().owners();
    for (std::uint32_t slot = 0; slot < owners.slots(); ++slot)
      if (owners.holds(slot, LogicalSector(at(zone, offset)))) return slot;
    return SlotOwners::none;
  }
  [[nodiscard]] std::uint32_t write_pointer(std::uint32_t zone) { return layer().store().peek(zone).write_pointer; }
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
  /// Media steps in the region `name` since the bench's record was cleared.
  std::vector<FirmwareBench::StepRecord> steps_in(const std::string& name) {
    std::vector<FirmwareBench::StepRecord> found;
    for (const FirmwareBench::StepRecord& step : bench_.steps)
      for (const Region& region : plan_)
        if (region.name == name && step.run.track.radius >= region.first && step.run.track.radius < region.first + region.count)
          found.push_back(step);
    return found;
  }
  std::uint64_t sectors_in(const std::string& name, MediaOp op) {
    std::uint64_t moved = 0;
    for (const FirmwareBench::StepRecord& step : steps_in(name)) moved += step.op == op ? step.run.count : 0;
    return moved;
  }

 private:
  BenchConfig planned(ZoneSetup<Config>& setup) {
    std::string problem;
    plan_ = plan_zones(setup.zones(), geometry_, problem, slot_notes<Config>);
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
using SkylightDrive = ZoneDrive<SkylightDisk, SkylightDiskConfig>;
using FluidDrive = ZoneDrive<fluid::Fluid, fluid::FluidConfig>;
using AmphisbaenaDrive = ZoneDrive<amphisbaena::Amphisbaena, amphisbaena::AmphisbaenaConfig>;

}  // namespace tessera::test
