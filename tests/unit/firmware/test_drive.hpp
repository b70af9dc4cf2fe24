#pragma once
// A small drive on the bench, with a layer and caches chosen by a test.
#include <catch2/catch.hpp>

#include <algorithm>
#include <map>
#include <memory>
#include <string>

#include "base/error.hpp"
#include "firmware/defects/spare_layout.hpp"
#include "firmware/firmware_build.hpp"
#include "support/firmware_bench.hpp"

namespace tessera::test {

/// Sets the fields named in a map, by their numbers; every name must exist.
class Setter final : public ParameterVisitor {
 public:
  explicit Setter(const std::map<std::string, double>& values) : left_(values) {}
  [[nodiscard]] bool all_set() const { return left_.empty(); }

  void field(std::string_view name, bool& value, std::string_view) override { set(name, value); }
  void field(std::string_view name, std::uint32_t& value, Range, std::string_view) override { set(name, value); }
  void field(std::string_view name, std::uint64_t& value, Range, std::string_view) override { set(name, value); }
  void field(std::string_view name, double& value, Range, std::string_view) override { set(name, value); }
  void field(std::string_view, Picoseconds&, Range, std::string_view) override {}
  void field(std::string_view name, Bytes& value, Range, std::string_view) override {
    std::uint64_t bytes = value.value();
    set(name, bytes);
    value = Bytes(bytes);
  }
  void field(std::string_view, BytesPerSecond&, Range, std::string_view) override {}
  void field(std::string_view, Hertz&, Range, std::string_view) override {}
  void field(std::string_view, Rpm&, Range, std::string_view) override {}
  void field(std::string_view, Microwatts&, Range, std::string_view) override {}
  void field(std::string_view, Picojoules&, Range, std::string_view) override {}
  void field(std::string_view, std::string&, std::string_view) override {}
  void choice(std::string_view name, std::uint32_t& value, ChoiceNames, std::string_view) override { set(name, value); }
  void table(std::string_view, std::vector<NumberRow>&, const std::vector<std::string>&, std::string_view) override {}
  void enter(std::string_view, std::string_view) override {}
  void leave() override {}

 private:
  template <class T>
  void set(std::string_view name, T& value) {
    const auto found = left_.find(std::string(name));
    if (found == left_.end()) return;
    value = static_cast<T>(found->second);
    left_.erase(found);
  }
  std::map<std::string, double> left_;
};

/// 32 tracks of 16 sectors at 6000 rpm (a turn of 10 ms), expected timing, no electronics.
inline BenchConfig small_drive() {
  BenchConfig config;
  config.media.speed = Rpm(6000);
  config.media.tracks = 32;
  config.media.sectors_per_track = 16;
  config.media.timing = MediaTimingMode::expected;
  config.dram.capacity = Bytes(std::uint64_t{64} << 20);
  return config.ideal_electronics();
}

class TestDrive {
 public:
  TestDrive(std::unique_ptr<LayerFactory> factory, const std::map<std::string, double>& parameters, BenchConfig config = small_drive(),
            const FirmwareConfig& firmware = {}, std::uint64_t prefilled = 0)
      : factory_(std::move(factory)), geometry_(geometry_of(config.media)), firmware_config_(firmware), prefilled_(prefilled) {
    Setter setter(parameters);
    factory_->describe(setter);
    TESSERA_CHECK(setter.all_set(), "a test sets a parameter that the layer does not have");
    if (SpareLayout(geometry_).usable()) config.reads_before_loss = 1 + firmware.defects.read_retries;
    std::string problem;
    plan_ = config.plan = factory_->plan(geometry_, problem);
    TESSERA_CHECK(problem.empty(), "the layer refuses the drive of a test");
    bench_ = std::make_unique<FirmwareBench>(config, [this](const Ports& ports) {
      auto firmware_made = std::make_unique<Firmware>(firmware_config_, *factory_, ports, geometry_, plan_, &make_flash_front);
      firmware_ = firmware_made.get();
      if (prefilled_ != 0) firmware_->prefill(std::min(prefilled_, firmware_->user_sectors()));
      return firmware_made;
    });
  }

  FirmwareBench* operator->() { return bench_.get(); }
  FirmwareBench& bench() { return *bench_; }
  [[nodiscard]] const FormatPlan& plan() const { return plan_; }
  [[nodiscard]] Firmware& firmware() { return *firmware_; }
  [[nodiscard]] std::uint64_t user_sectors() const { return firmware_->user_sectors(); }
  [[nodiscard]] double metric(const std::string& name) {
    return bench_->metric(name, [this](MetricSet& metrics) { firmware_->report(metrics); });
  }
  /// Reads everything back; the number of blocks that were wrong or could not be read.
  [[nodiscard]] std::uint64_t wrong_blocks() {
    bench_->verify_all();
    return bench_->scoreboard().errors() + bench_->unreadable_blocks();
  }
  void check_content() { REQUIRE(wrong_blocks() == 0); }
  /// Sectors written to the platters since the last clear of the bench's record.
  [[nodiscard]] std::uint64_t sectors_written() const {
    std::uint64_t sum = 0;
    for (const FirmwareBench::StepRecord& step : bench_->steps) sum += step.op == MediaOp::write ? step.run.count : 0;
    return sum;
  }

 private:
  std::unique_ptr<LayerFactory> factory_;
  DriveGeometry geometry_;
  FirmwareConfig firmware_config_;
  std::uint64_t prefilled_;
  FormatPlan plan_;
  Firmware* firmware_ = nullptr;
  std::unique_ptr<FirmwareBench> bench_;
};

}  // namespace tessera::test
