#pragma once
// A small drive on the bench whose firmware is one translation layer, without the caches that can stand in front of it and the defect
// management below. Tests of a layer derive from it what is theirs: the shape of the drive, its configuration, and looks into the layer.
#include <catch2/catch.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "firmware/command_server.hpp"
#include "firmware/defects/faulty_writes.hpp"
#include "firmware/defects/spare_layout.hpp"
#include "support/firmware_bench.hpp"

namespace tessera::test {

inline constexpr std::uint64_t sector_bytes = 4096;
inline Bytes sectors(std::uint64_t count) { return Bytes(count * sector_bytes); }

/// Addresses are drive sectors of 4 KiB.
template <class Layer>
class LayerDrive {
 public:
  /// Gives the regions of a drive, or says what is wrong with it.
  using Plan = std::function<FormatPlan(const DriveGeometry& geometry, std::string& problem)>;
  /// Makes the layer at each power-on.
  using Make = std::function<std::unique_ptr<Layer>(const Ports& ports, const DriveGeometry& geometry, const FormatPlan& plan)>;

  LayerDrive(BenchConfig config, const Plan& plan, Make make, std::uint64_t prefilled = 0)
      : geometry_(geometry_of(config.media)), make_(std::move(make)), bench_(planned(config, plan), [this, prefilled](const Ports& ports) {
          auto layer = make_(ports, geometry_, plan_);
          if (prefilled != 0) layer->prefill(prefilled);
          layer_ = layer.get();
          return std::make_unique<Entry>(ports, geometry_, std::move(layer));
        }) {}

  FirmwareBench& bench() { return bench_; }
  [[nodiscard]] const FormatPlan& plan() const { return plan_; }
  Layer& layer() { return *layer_; }
  [[nodiscard]] std::uint64_t user_sectors() const { return layer_->user_sectors(); }
  void write(std::uint64_t sector, std::uint32_t count = 1, bool fua = false) {
    REQUIRE(bench_.write(sector * blocks_per_sector, count * blocks_per_sector, fua) == Status::ok);
  }
  void read(std::uint64_t sector, std::uint32_t count = 1) {
    REQUIRE(bench_.read(sector * blocks_per_sector, count * blocks_per_sector) == Status::ok);
  }
  void trim(std::uint64_t sector, std::uint32_t count = 1) {
    REQUIRE(bench_.trim(sector * blocks_per_sector, count * blocks_per_sector) == Status::ok);
  }
  void flush() { REQUIRE(bench_.flush() == Status::ok); }
  /// Reads everything back and compares.
  void check_content() {
    bench_.verify_all();
    INFO((bench_.scoreboard().messages().empty() ? "" : bench_.scoreboard().messages().front()));
    REQUIRE(bench_.scoreboard().errors() == 0);
    REQUIRE(bench_.unreadable_blocks() == 0);
  }
  void cut_now() {
    bench_.cut_now();
    REQUIRE(bench_.boot_status() == Status::ok);
  }
  /// What the layer reports under this name.
  double metric(const std::string& name) const {
    MetricSet metrics;
    layer_->report(metrics);
    const Metric* found = metrics.find(name);
    INFO(name);
    REQUIRE(found != nullptr);
    return found->value.value_or(-1);
  }

 private:
  class Entry final : public FirmwareEntry {
   public:
    Entry(const Ports& ports, const DriveGeometry& geometry, std::unique_ptr<Layer> layer)
        : layer_(std::move(layer)), server_(ports, *layer_, {}, layer_->zone_commands()) {
      if (!SpareLayout(geometry).usable()) faulty_writes_.emplace(ports.media);
    }
    [[nodiscard]] Task<Status> boot(bool after_power_cut) override { return server_.boot(after_power_cut); }
    [[nodiscard]] Task<void> serve(HostCommand& command) override { return server_.serve(command); }
    [[nodiscard]] bool idle() const override { return server_.idle(); }

   private:
    std::unique_ptr<Layer> layer_;
    CommandServer server_;
    std::optional<FaultyWrites> faulty_writes_;
  };

  BenchConfig& planned(BenchConfig& config, const Plan& plan) {
    std::string problem;
    plan_ = config.plan = plan(geometry_, problem);
    INFO(problem);
    REQUIRE(problem.empty());
    return config;
  }

  DriveGeometry geometry_;
  Make make_;
  FormatPlan plan_;
  Layer* layer_ = nullptr;
  FirmwareBench bench_;
};

}  // namespace tessera::test
