// A drive's power on a virtual clock: the order of what happens at a cut, and what follows it when.
#include "power/power_cycle.hpp"

#include <catch2/catch.hpp>

#include <string>
#include <vector>

#include "base/error.hpp"

using namespace tessera;
using namespace tessera::literals;

namespace {

/// Boots in 5 ms, of which the last are CPU time that runs ahead, and stops its firmware in 1 ms.
class Bench final : public PoweredDrive, public PowerOwner, private TimelineListener {
  std::string said_;
  std::function<void(Status)> booted_;
  std::function<void()> stopped_;
  std::function<void()> memory_error_;

 public:
  explicit Bench(bool formatted = false) : power(timeline, *this, *this, formatted) {}

  void run_to(Picoseconds when) {
    timeline.run_until(when);
    timeline.advance_to(when);
  }
  /// What happened since the last call, with the milliseconds at which it did.
  std::string said() { return std::exchange(said_, {}); }
  void fail_table() { memory_error_(); }

  void power_on(bool after_power_cut, std::function<void(Status)> booted) override {
    say(after_power_cut ? "boots" : "formats");
    booted_ = std::move(booted);
    timeline.post(timeline.now() + 4_ms, *this, 0);
  }
  PowerLoss power_off() override {
    say("off");
    timeline.withdraw(static_cast<TimelineListener&>(*this));
    return loss;
  }
  void power_back() override { say("back"); }
  void restart_firmware(std::function<void()> stopped) override {
    say("stops");
    stopped_ = std::move(stopped);
    timeline.post(timeline.now() + 1_ms, *this, 1);
  }
  void on_memory_error(std::function<void()> restart) override { memory_error_ = std::move(restart); }
  [[nodiscard]] Picoseconds outage() const override { return 10_ms; }
  [[nodiscard]] Picoseconds restart_delay() const override { return 13_ms; }
  [[nodiscard]] Picoseconds restart_time() const override { return 2_ms; }
  [[nodiscard]] Picoseconds answers() const override { return timeline.now() + 1_ms; }

  void link_lost(Why why) override { say(why == Why::cut ? "cut" : "restart"); }
  void power_lost(const PowerLoss& lost) override { say(lost.dump_failed ? "lost with its dump" : "lost"); }
  void formats() override { say("prefilled"); }
  void booted() override { say("booted"); }
  void recovered() override { say("recovered"); }
  void stays_dead(Status) override { say("dead"); }
  void gives_up() override { say("gives up"); }

  Timeline timeline;
  PowerLoss loss;
  Status boots_with = Status::ok;
  PowerCycle power;

 private:
  void on_time(std::uint64_t stops) override { stops != 0 ? stopped_() : booted_(boots_with); }
  void say(const std::string& what) {
    said_ += (said_.empty() ? "" : ", ") + std::to_string(timeline.now().value() / 1'000'000'000) + " " + what;
  }
};

using Phase = PowerCycle::Phase;

}  // namespace

TEST_CASE("power: a cut is an outage, a boot and a recovery, each at its instant and in its order") {
  Bench bench;
  bench.power.boot();
  CHECK(bench.power.phase() == Phase::on);
  bench.run_to(20_ms);
  CHECK(bench.said() == "0 formats, 0 prefilled, 4 booted, 5 recovered");
  bench.loss.dump_failed = true;
  bench.power.cut();
  CHECK(bench.power.phase() == Phase::outage);
  bench.run_to(31_ms);
  CHECK(bench.power.phase() == Phase::starting);
  CHECK_FALSE(bench.power.firmware_runs());
  bench.run_to(36_ms);
  CHECK(bench.power.phase() == Phase::recovery);
  bench.run_to(60_ms);
  CHECK(bench.said() == "20 cut, 20 off, 20 lost with its dump, 30 back, 33 boots, 37 booted, 38 recovered");
  CHECK(bench.power.phase() == Phase::recovery);
  bench.power.verify();
  CHECK(bench.power.firmware_runs());
  bench.power.serve();
  CHECK(bench.power.phase() == Phase::on);
}

TEST_CASE("power: a cut withdraws what was to follow the one before, wherever it falls") {
  // In the outage, which begins anew; while the dump is restored; in the boot; and between its end and the first answer.
  for (const auto& [at, said] : std::vector<std::pair<Picoseconds, std::string>>{
           {5_ms, ""}, {12_ms, "12 cut, 12 off, 12 lost, "}, {15_ms, "15 cut, 15 off, 15 lost, "}, {17_ms, "17 cut, 17 off, 17 lost, "}}) {
    Bench bench(true);
    bench.power.cut();
    bench.run_to(at);
    static_cast<void>(bench.said());
    bench.power.cut();
    bench.run_to(200_ms);
    const auto later = [&at](int ms) { return std::to_string(at.value() / 1'000'000'000 + ms); };
    CHECK(bench.said() == said + later(10) + " back, " + later(13) + " boots, " + later(17) + " booted, " + later(18) + " recovered");
  }
}

TEST_CASE("power: a drive is formatted until a format has ended, and one from a saved state never") {
  Bench bench;
  bench.power.boot();
  bench.run_to(3_ms);
  bench.power.cut();
  bench.run_to(50_ms);
  CHECK(bench.said() == "0 formats, 0 prefilled, 3 cut, 3 off, 3 lost, 13 back, 16 formats, 16 prefilled, 20 booted, 21 recovered");
  bench.power.cut();
  bench.run_to(100_ms);
  CHECK(bench.said() == "50 cut, 50 off, 50 lost, 60 back, 63 boots, 67 booted, 68 recovered");
  Bench restored(true);
  restored.power.boot();
  CHECK(restored.said() == "0 boots");
}

TEST_CASE("power: off() has no return until come_back(), and not if the power goes again") {
  Bench bench(true);
  bench.power.boot();
  bench.run_to(10_ms);
  static_cast<void>(bench.said());
  bench.power.off();
  bench.power.off();
  bench.run_to(100_ms);
  CHECK(bench.said() == "10 cut, 10 off, 10 lost");
  bench.power.come_back();
  CHECK(bench.power.phase() == Phase::starting);
  bench.run_to(101_ms);
  bench.power.off();
  bench.run_to(150_ms);
  CHECK(bench.said() == "100 back, 101 cut, 101 off, 101 lost");
  bench.power.come_back();
  bench.run_to(200_ms);
  CHECK(bench.said() == "150 back, 153 boots, 157 booted, 158 recovered");
  bench.power.cut(20_ms);
  bench.run_to(300_ms);
  CHECK(bench.said() == "200 cut, 200 off, 200 lost, 210 back, 220 boots, 224 booted, 225 recovered");
}

TEST_CASE("power: a restart stops the firmware and boots it, and a cut on the way is a cut") {
  for (const bool cut : {false, true}) {
    Bench bench(true);
    bench.power.boot();
    bench.run_to(10_ms);
    static_cast<void>(bench.said());
    bench.fail_table();
    CHECK(bench.power.phase() == Phase::stopping);
    if (cut) bench.power.cut();
    bench.run_to(12_ms);
    if (!cut) CHECK(bench.power.phase() == Phase::starting);
    bench.run_to(50_ms);
    CHECK(bench.said() == (cut ? "10 restart, 10 stops, 10 cut, 10 off, 10 lost, 20 back, 23 boots, 27 booted, 28 recovered"
                               : "10 restart, 10 stops, 13 boots, 17 booted, 18 recovered"));
  }
  Bench dark(true);
  dark.power.cut();
  CHECK_THROWS_AS(dark.power.restart(), ModelBug);
}

TEST_CASE("power: restarts without an answer between them end in a drive that is given up, a boot that fails in a dead one") {
  Bench bench(true);
  bench.power.boot();
  const auto restarts_until_given_up = [&bench] {
    int restarts = 0;
    for (; bench.said().find("gives up") == std::string::npos; ++restarts) {
      bench.run_to(bench.timeline.now() + 20_ms);
      static_cast<void>(bench.said());
      bench.power.restart();
    }
    return restarts;
  };
  CHECK(restarts_until_given_up() == 101);
  CHECK(PowerCycle::never_ready().find("100 times without an answer") != std::string::npos);
  CHECK(PowerCycle::never_read_back().find("100 times before all was read back") != std::string::npos);
  bench.power.answered();
  CHECK(restarts_until_given_up() == 101);
  bench.power.answered();
  bench.boots_with = Status::corrupt;
  bench.power.cut();
  bench.run_to(bench.timeline.now() + 100_ms);
  CHECK(bench.said().ends_with(" dead"));
}
