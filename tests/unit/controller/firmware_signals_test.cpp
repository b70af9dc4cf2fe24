#include "controller/firmware_signals.hpp"

#include <catch2/catch.hpp>
#include <map>

#include "base/error.hpp"

using namespace tessera;
using namespace tessera::literals;
using Edge = FirmwareEvent::Edge;

namespace {

constexpr GaugeInfo free_blocks{"flash.free_blocks", "1", "free blocks"};
constexpr GaugeInfo dirty{"cache.dirty", "B", "dirty data"};

double value(const FirmwareSignals& firmware, const char* name, Picoseconds now) {
  MetricSet metrics;
  firmware.report(metrics, now);
  const Metric* metric = metrics.find(name);
  REQUIRE(metric != nullptr);
  REQUIRE(metric->value);
  return *metric->value;
}

/// What the signals show now, by path.
struct Shown final : SignalSink {
  explicit Shown(SignalScope& scope) {
    scope.each("f", [this](const std::string& path, SignalScope& declared, std::uint32_t index, const SignalInfo& info) {
      declared.watch(index, *this, static_cast<std::uint32_t>(names.size()));
      names.push_back(path + "." + info.name);
      infos.push_back(&info);
    });
  }
  void change(std::uint32_t id, std::uint64_t value, Picoseconds) override {
    now[names[id]] = infos[id]->words.empty() ? std::to_string(value) : infos[id]->words[value];
  }
  void withdraw(std::uint32_t, Picoseconds) override {}
  std::vector<std::string> names;
  std::vector<const SignalInfo*> infos;
  std::map<std::string, std::string> now;
};

}  // namespace

// 10 for 1 us, then 4 for 3 us, then 6: (10 + 12) / 4 = 5.5 at 4 us.
TEST_CASE("a gauge is a metric: mean over time, peak and last level") {
  FirmwareSignals firmware;
  const std::uint32_t gauge = firmware.declare_gauge(free_blocks);
  firmware.gauge(gauge, 10, 0_ps);
  firmware.gauge(gauge, 4, 1_us);
  firmware.gauge(gauge, 6, 4_us);
  CHECK(value(firmware, "gauge.flash.free_blocks.mean", 4_us) == 5.5);
  CHECK(value(firmware, "gauge.flash.free_blocks.peak", 4_us) == 10);
  CHECK(value(firmware, "gauge.flash.free_blocks.last", 4_us) == 6);
}

// The measurement begins at 4 us with a level of 6: 6 for 1 us and 2 for 1 us.
TEST_CASE("mean and peak of a gauge begin with the measurement") {
  FirmwareSignals firmware;
  const std::uint32_t gauge = firmware.declare_gauge(free_blocks);
  firmware.gauge(gauge, 10, 0_ps);
  firmware.gauge(gauge, 6, 3_us);
  firmware.reset_statistics(4_us);
  firmware.gauge(gauge, 2, 5_us);
  CHECK(value(firmware, "gauge.flash.free_blocks.mean", 6_us) == 4);
  CHECK(value(firmware, "gauge.flash.free_blocks.peak", 6_us) == 6);
}

TEST_CASE("a gauge that is declared twice is named, and may be declared again by the firmware after a power cut") {
  FirmwareSignals firmware;
  const std::uint32_t first = firmware.declare_gauge(free_blocks);
  CHECK(firmware.declare_gauge(dirty) != first);
  CHECK_THROWS_WITH(firmware.declare_gauge(free_blocks), Catch::Contains("declares the gauge flash.free_blocks twice"));
  firmware.power_off(1_us);
  CHECK(firmware.declare_gauge(free_blocks) == first);
}

TEST_CASE("a gauge that is declared and not set by the end of the boot is named") {
  FirmwareSignals firmware;
  const std::uint32_t gauge = firmware.declare_gauge(free_blocks);
  CHECK_THROWS_WITH(firmware.check_gauges(), Catch::Contains("declared the gauge flash.free_blocks and did not set it"));
  firmware.gauge(gauge, 0, 0_ps);
  CHECK_NOTHROW(firmware.check_gauges());
  firmware.power_off(1_us);
  CHECK_NOTHROW(firmware.check_gauges());  // the firmware after the cut has none
  static_cast<void>(firmware.declare_gauge(free_blocks));
  CHECK_THROWS_AS(firmware.check_gauges(), ModelBug);
}

TEST_CASE("a gauge is a signal, that shows what was set before anyone watched") {
  FirmwareSignals firmware;
  const std::uint32_t gauge = firmware.declare_gauge(free_blocks);
  firmware.gauge(gauge, 7, 0_ps);
  std::optional<std::uint64_t> at_rest;
  firmware.signals().each("f", [&at_rest](const std::string&, SignalScope&, std::uint32_t, const SignalInfo& info) {
    if (info.name == "flash_free_blocks") at_rest = info.value;
  });
  CHECK(at_rest == 7);
  Shown shown(firmware.signals());
  firmware.gauge(gauge, 3, 1_us);
  CHECK(shown.now["f.flash_free_blocks"] == "3");
  firmware.signals().unwatch(shown);
}

TEST_CASE("pieces of work that overlap are shown side by side, and one more than there is room for is counted") {
  FirmwareSignals firmware;
  Shown shown(firmware.signals());
  for (std::uint64_t band = 0; band < 5; ++band) firmware.event({"merge", Edge::begin, band, 0}, 1_us);
  CHECK(shown.now["f.work_under_way"] == "5");
  CHECK(shown.now["f.work_0.kind"] == "merge");
  CHECK(shown.now["f.work_3.subject"] == "3");
  firmware.event({"merge", Edge::end, 1, 0}, 2_us);
  CHECK(shown.now["f.work_1.kind"] == "none");
  CHECK(shown.now["f.work_2.kind"] == "merge");
  firmware.event({"clean", Edge::begin, 9, 0}, 3_us);
  CHECK(shown.now["f.work_1.kind"] == "clean");
  CHECK(shown.now["f.work_1.subject"] == "9");
  firmware.event({"requeue", Edge::instant, 9, 0}, 3_us);
  CHECK(shown.now["f.work_under_way"] == "5");
  firmware.power_off(4_us);
  CHECK(shown.now["f.work_under_way"] == "0");
  CHECK(shown.now["f.work_0.kind"] == "none");
  firmware.signals().unwatch(shown);
}
