// The index signal: a pulse at each turn, whatever the heads do and whoever else is shown, and none while the spindle does not turn at
// speed.
#include <catch2/catch.hpp>
#include <sstream>

#include "base/vcd_writer.hpp"
#include "base/waveform.hpp"
#include "media/media_device.hpp"
#include "small_drive.hpp"
#include "support/vcd_reader.hpp"

using namespace tessera;
using namespace tessera::literals;
using test::perform;
using test::read_step;

namespace {

constexpr Picoseconds turn = 10_ms;

/// Records the index signal alone, or with others.
struct Recorder {
  explicit Recorder(MediaDevice& device) : waveform({&file}, {WaveWindow{}}) {
    device.signals().each("media", [&](const std::string& path, SignalScope& scope, std::uint32_t index, const SignalInfo& info) {
      if (info.name != "spindle_index") return;
      scope.watch(index, waveform, waveform.record(path, info).index);
      waveform.follow(*scope.source());
    });
    busy = waveform.vector("drive", "busy", 32);
  }
  /// Times of its rises, and whether it falls a hundredth of a turn after each.
  std::vector<Picoseconds> rises(Picoseconds end) {
    waveform.finish(end);
    std::vector<Picoseconds> times;
    const auto vcd = test::read_vcd(out.str());
    for (const test::VcdChange& change : vcd.signals.at("media.spindle_index")) {
      const Picoseconds at(change.time);
      if (change.value == "1")
        times.push_back(at);
      else if (!times.empty())
        lengths.push_back(at - times.back());
    }
    return times;
  }
  std::ostringstream out;
  VcdWriter file{out};
  Waveform waveform;
  WaveSignal busy;
  std::vector<Picoseconds> lengths;
};

std::vector<Picoseconds> turns(Picoseconds from, Picoseconds to) {
  std::vector<Picoseconds> times;
  for (Picoseconds at = from; at <= to; at += turn) times.push_back(at);
  return times;
}

}  // namespace

TEST_CASE("the index signal has a pulse at each turn, and none comes late, while the heads rest and others change all the time") {
  MediaDevice device(test::small_drive(), {}, ContentMode::none, 1);
  Recorder recorder(device);
  Picoseconds now;
  std::uint64_t changes = 0;
  const auto others_until = [&](Picoseconds end) {
    for (Picoseconds at = now; at < end; at += 7_us) recorder.waveform.set(recorder.busy, ++changes, at);
  };
  for (const Picoseconds idle : {3_ms, 1'234_ms, 10_ms, 900_ms, 1_ms}) {
    others_until(now + idle);
    now += idle;
    REQUIRE(ok(perform(device, read_step({{0, static_cast<std::uint32_t>(changes % 40)}, 5, 3}), now)));
  }
  others_until(now + 700_ms);
  now += 700_ms;
  REQUIRE(changes > 300'000);
  CHECK(recorder.rises(now) == turns(0_ps, now));
  CHECK(recorder.waveform.late_changes() == 0);
  CHECK(std::ranges::all_of(recorder.lengths, [](Picoseconds length) { return length == turn / 100; }));
}

TEST_CASE("the index signal stands still without power, and with the spindle in standby") {
  MediaConfig config = test::small_drive();
  config.power_conditions.of(PowerCondition::standby) = {1_s, Microwatts(1'000'000), 205_ms};
  MediaDevice device(config, {}, ContentMode::none, 1);
  Recorder recorder(device);
  Picoseconds now;
  REQUIRE(ok(perform(device, read_step({{0, 3}, 5, 3}), now)));
  const Picoseconds stops = now + 1_s;
  now += 3_s;
  const Picoseconds ready = now + 205_ms;
  REQUIRE(ok(perform(device, read_step({{0, 3}, 5, 3}), now)));
  const Picoseconds cut = now + turn - now % turn + 40_us;  // within a pulse
  device.cut(cut);
  const Picoseconds back = cut + 500_ms;
  device.restore(back);
  const Picoseconds end = back + 100_ms;
  std::vector<Picoseconds> expected;
  for (const Picoseconds at : turns(0_ps, end))
    if (at < stops || (at >= ready && at <= cut) || at >= back) expected.push_back(at);
  CHECK(recorder.rises(end) == expected);
  CHECK(recorder.waveform.late_changes() == 0);
  CHECK(std::ranges::count(recorder.lengths, turn / 100) == static_cast<std::ptrdiff_t>(recorder.lengths.size()) - 1);
  CHECK(std::ranges::count(recorder.lengths, 40_us) == 1);
}
