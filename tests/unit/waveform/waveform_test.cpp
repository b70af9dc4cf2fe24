#include "base/waveform.hpp"
#include "base/vcd_writer.hpp"

#include <rapidcheck.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <sstream>

#include "base/error.hpp"
#include "support/vcd_reader.hpp"

using namespace tessera;
using namespace tessera::literals;
using test::read_vcd;
using test::VcdChange;
using Changes = std::vector<VcdChange>;

TEST_CASE("a window holds its initial values and exactly the changes from begin up to, not including, end") {
  std::ostringstream out;
  VcdWriter waveform_file(out);
  Waveform waveform({&waveform_file}, {WaveWindow{100_ps, 200_ps}});
  const WaveSignal busy = waveform.bit("drive.media", "busy");
  const WaveSignal track = waveform.vector("drive.media", "track", 12);
  waveform.set(busy, 1, 10_ps);
  waveform.set(track, 5, 99_ps);
  waveform.set(track, 6, 100_ps);
  waveform.set(busy, 0, 101_ps);
  waveform.set(track, 7, 199_ps);
  waveform.set(busy, 1, 200_ps);
  waveform.finish(500_ps);
  const auto vcd = read_vcd(out.str());
  CHECK(vcd.signals.at("drive.media.busy") == Changes{{100, "1"}, {101, "0"}});
  CHECK(vcd.signals.at("drive.media.track") == Changes{{100, "110"}, {199, "111"}});
  CHECK(vcd.times == std::vector<std::uint64_t>{100, 101, 199, 200});
}

TEST_CASE("a window of a run that ends inside it ends with the run") {
  std::ostringstream out;
  VcdWriter waveform_file(out);
  Waveform waveform({&waveform_file}, {WaveWindow{0_ps, 1_ms}});
  const WaveSignal busy = waveform.bit("drive", "busy");
  waveform.set(busy, 0, 0_ps);
  waveform.set(busy, 1, 7_ps);
  waveform.finish(9_ps);
  CHECK(read_vcd(out.str()).times == std::vector<std::uint64_t>{0, 7, 9});
}

TEST_CASE("kinds of signals: bits, numbers of 1 to 64 bits, states as words - unset ones are unknown") {
  std::ostringstream out;
  VcdWriter waveform_file(out);
  Waveform waveform({&waveform_file}, {WaveWindow{}});
  const WaveSignal wide = waveform.vector("drive", "wide", 64);
  const WaveSignal narrow = waveform.vector("drive", "narrow", 3);
  const WaveSignal state = waveform.state("drive.media", "state", {"idle", "seek"});
  (void)waveform.bit("drive", "bit");
  (void)waveform.vector("drive", "number", 2);
  (void)waveform.state("host", "phase", {"a"});
  waveform.set(wide, ~0ULL, 1_ps);
  waveform.set(narrow, 0b11010, 1_ps);
  waveform.set(state, 1, 1_ps);
  waveform.finish(1_ps);
  const auto vcd = read_vcd(out.str());
  CHECK(vcd.at("drive.wide", 1) == std::string(64, '1'));
  CHECK(vcd.at("drive.narrow", 1) == "10");
  CHECK(vcd.at("drive.media.state", 0) == "unknown");
  CHECK(vcd.at("drive.media.state", 1) == "seek");
  CHECK(vcd.at("drive.bit", 1) == "x");
  CHECK(vcd.at("drive.number", 1) == "x");
  CHECK(vcd.at("host.phase", 1) == "unknown");
  CHECK(vcd.types.at("drive.narrow") == "wire 3");
  CHECK(vcd.types.at("drive.media.state") == "string 1");
}

TEST_CASE("times and words of any length are written whole") {
  const std::string longest(100, 'w');
  std::ostringstream out;
  VcdWriter waveform_file(out);
  Waveform waveform({&waveform_file}, {WaveWindow{}});
  const WaveSignal state = waveform.state("drive", "state", {"a", longest, "b"});
  const std::vector<std::uint64_t> times{9, 99'999'999, 100'000'000, 100'000'001, 299'999'999, 300'000'000, 12'345'600'000'007, ~0ULL - 1};
  std::uint64_t value = 0;
  Changes expected{{0, "unknown"}};
  for (const std::uint64_t time : times) {
    waveform.set(state, value, Picoseconds(time));
    expected.push_back({time, value == 0 ? "a" : value == 1 ? longest : "b"});
    value = (value + 1) % 3;
  }
  waveform.finish(Picoseconds(~0ULL - 1));
  const auto vcd = read_vcd(out.str());
  CHECK(vcd.signals.at("drive.state") == expected);
}

TEST_CASE("signals of one block stand in one scope although they were declared apart") {
  std::ostringstream out;
  VcdWriter waveform_file(out);
  Waveform waveform({&waveform_file}, {WaveWindow{}});
  (void)waveform.bit("drive.media", "a");
  (void)waveform.bit("drive.cpu", "b");
  (void)waveform.bit("drive.media", "c");
  waveform.finish(0_ps);
  const std::string text = out.str();
  CHECK(text.find("$scope module media", text.find("$scope module media") + 1) == std::string::npos);
  CHECK(text.find("$scope module drive", text.find("$scope module drive") + 1) == std::string::npos);
}

TEST_CASE("many signals have different identifiers") {
  std::ostringstream out;
  VcdWriter waveform_file(out);
  Waveform waveform({&waveform_file}, {WaveWindow{}});
  for (int i = 0; i < 94 * 94 + 95; ++i) (void)waveform.bit(std::string(1, static_cast<char>('a' + i % 7)), std::to_string(i));
  waveform.finish(0_ps);
  CHECK(read_vcd(out.str()).signals.size() == 94 * 94 + 95);
}

TEST_CASE("a signal that is declared twice, late or with blanks is a model bug") {
  std::ostringstream out;
  VcdWriter waveform_file(out);
  Waveform waveform({&waveform_file}, {WaveWindow{}});
  const WaveSignal a = waveform.bit("drive", "a");
  CHECK_THROWS_AS(waveform.bit("drive", "a"), ModelBug);
  CHECK_THROWS_AS(waveform.bit("drive", "a b"), ModelBug);
  CHECK_THROWS_AS(waveform.state("drive", "s", {"two words"}), ModelBug);
  CHECK_THROWS_AS(waveform.vector("drive", "v", 65), ModelBug);
  CHECK_THROWS_AS(waveform.vector("drive", "v", 0), ModelBug);
  waveform.set(a, 1, 1_ps);
  CHECK_THROWS_AS(waveform.bit("drive", "b"), ModelBug);
}

TEST_CASE("a trigger opens the window around itself, with the time before it") {
  std::ostringstream out;
  VcdWriter waveform_file(out);
  Waveform waveform({&waveform_file}, WaveTrigger{50_ps, 30_ps});
  const WaveSignal depth = waveform.vector("host", "depth", 8);
  for (std::uint64_t t = 1; t <= 100; ++t) waveform.set(depth, t, Picoseconds(t));
  CHECK(waveform.armed());
  waveform.trigger(100_ps);
  CHECK_FALSE(waveform.armed());
  CHECK(waveform.start() == 50_ps);
  for (std::uint64_t t = 101; t <= 200; ++t) waveform.set(depth, t, Picoseconds(t));
  waveform.trigger(150_ps);  // only the first counts
  waveform.finish(200_ps);
  const auto vcd = read_vcd(out.str());
  CHECK(vcd.times.front() == 50);
  CHECK(vcd.times.back() == 130);
  CHECK(vcd.signals.at("host.depth").size() == 80);  // the dump at 50, then 51 to 129
  CHECK(vcd.at("host.depth", 50) == "110010");
  CHECK(vcd.at("host.depth", 129) == "10000001");
}

TEST_CASE("a ring that is too short for the time before a trigger starts the window later, with right values") {
  std::ostringstream out;
  VcdWriter waveform_file(out);
  Waveform waveform({&waveform_file}, WaveTrigger{90_ps, 10_ps, 10});
  const WaveSignal depth = waveform.vector("host", "depth", 8);
  const WaveSignal first = waveform.bit("host", "first");
  waveform.set(first, 1, 1_ps);
  for (std::uint64_t t = 2; t <= 100; ++t) waveform.set(depth, t, Picoseconds(t));
  waveform.trigger(100_ps);
  CHECK(waveform.start() == 90_ps);
  waveform.finish(100_ps);
  const auto vcd = read_vcd(out.str());
  CHECK(vcd.times.front() == 90);
  CHECK(vcd.at("host.depth", 90) == "1011010");
  CHECK(vcd.at("host.first", 90) == "1");
}

TEST_CASE("a trigger earlier than its time before starts at 0") {
  std::ostringstream out;
  VcdWriter waveform_file(out);
  Waveform waveform({&waveform_file}, WaveTrigger{1_s, 1_s});
  const WaveSignal a = waveform.bit("drive", "a");
  waveform.set(a, 0, 0_ps);
  waveform.set(a, 1, 5_ps);
  waveform.trigger(5_ps);
  waveform.finish(6_ps);
  CHECK(read_vcd(out.str()).signals.at("drive.a") == Changes{{0, "0"}, {5, "1"}});
}

TEST_CASE("a file in which nothing was recorded is valid and says why") {
  std::ostringstream early;
  VcdWriter window_file(early);
  Waveform window({&window_file}, {WaveWindow{10_ps, 20_ps}});
  (void)window.bit("drive", "a");
  window.finish(9_ps);
  CHECK(read_vcd(early.str()).comment == "nothing was recorded: the run ended before the window");
  std::ostringstream quiet;
  VcdWriter trigger_file(quiet);
  Waveform trigger({&trigger_file}, WaveTrigger{10_ps, 20_ps});
  (void)trigger.bit("drive", "a");
  trigger.finish(9_ps);
  CHECK(read_vcd(quiet.str()).comment == "nothing was recorded: the trigger did not occur");
}

TEST_CASE("of several values at one time the last one stands, and a repeated value is no change") {
  std::ostringstream out;
  VcdWriter waveform_file(out);
  Waveform waveform({&waveform_file}, {WaveWindow{}});
  const WaveSignal a = waveform.bit("drive", "a");
  waveform.set(a, 0, 0_ps);
  waveform.set(a, 1, 3_ps);
  waveform.set(a, 0, 3_ps);
  waveform.set(a, 1, 4_ps);
  waveform.set(a, 1, 5_ps);
  waveform.finish(9_ps);
  CHECK(read_vcd(out.str()).signals.at("drive.a") == Changes{{0, "0"}, {4, "1"}});
}

TEST_CASE("a change that comes after its time was written is counted and never undoes a newer one") {
  std::ostringstream out;
  VcdWriter waveform_file(out);
  Waveform waveform({&waveform_file}, {WaveWindow{}});
  const WaveSignal a = waveform.vector("drive", "a", 64);
  const WaveSignal b = waveform.vector("drive", "b", 8);
  for (std::uint64_t t = 1; t <= (1 << 16); ++t) waveform.set(a, t, Picoseconds(t));  // fills the reorder buffer: half of it is written
  waveform.set(a, 0, 5_ps);
  waveform.set(b, 9, 5_ps);
  waveform.finish(Picoseconds(1 << 16));
  CHECK(waveform.late_changes() == 2);
  const auto vcd = read_vcd(out.str());
  CHECK(vcd.signals.at("drive.a").size() == (1 << 16) + 1);
  CHECK(vcd.at("drive.b", (1 << 15) - 1) == "x");
  CHECK(vcd.at("drive.b", 1 << 15) == "1001");
}

TEST_CASE("property: whatever the order of the calls, each signal shows at each time what a plain list says") {
  const bool holds = rc::check([] {
    const auto begin = *rc::gen::inRange<std::uint64_t>(0, 60);
    const auto length = *rc::gen::inRange<std::uint64_t>(1, 80);
    const auto steps = *rc::gen::container<std::vector<std::pair<std::uint8_t, std::uint8_t>>>(
        rc::gen::arbitrary<std::pair<std::uint8_t, std::uint8_t>>());
    const bool triggered = *rc::gen::arbitrary<bool>();
    struct Call {
      std::uint64_t time;
      std::uint32_t signal;
      std::uint64_t value;
      bool withdraws;  // what the signal was to show after `time`
    };
    std::vector<Call> calls;
    std::uint64_t time = 0;
    for (const auto& [what, jitter] : steps) {
      time += what % 4;
      const bool withdraws = jitter % 16 >= 12;
      calls.push_back({withdraws ? std::max(begin, time) : time + jitter % 6, what % 3U, jitter % 5U, withdraws});
    }
    std::ostringstream out;
    const std::uint64_t trigger_at = begin + length / 2;
    VcdWriter file(out);
    Waveform waveform = triggered ? Waveform({&file}, WaveTrigger{Picoseconds(length / 2), Picoseconds(length - length / 2)})
                                  : Waveform({&file}, {WaveWindow{Picoseconds(begin), Picoseconds(begin + length)}});
    std::vector<WaveSignal> signals;
    for (int i = 0; i < 3; ++i) signals.push_back(waveform.vector("s", std::string(1, static_cast<char>('a' + i)), 3));
    for (const Call& call : calls) {
      if (triggered && call.time >= trigger_at) waveform.trigger(Picoseconds(trigger_at));
      if (call.withdraws) {
        waveform.withdraw(signals[call.signal].index, Picoseconds(call.time));
      } else {
        waveform.set(signals[call.signal], call.value, Picoseconds(call.time));
      }
    }
    if (triggered) waveform.trigger(Picoseconds(trigger_at));
    waveform.finish(1000_ps);
    const auto vcd = read_vcd(out.str());
    std::vector<Call> list;
    for (const Call& call : calls) {
      if (call.withdraws) {
        std::erase_if(list, [&call](const Call& other) { return other.signal == call.signal && other.time > call.time; });
      } else {
        list.push_back(call);
      }
    }
    for (std::uint32_t signal = 0; signal < 3; ++signal) {
      for (std::uint64_t t = begin; t < begin + length; ++t) {
        const Call* newest = nullptr;
        for (const Call& call : list)
          if (call.signal == signal && call.time <= t && (newest == nullptr || call.time >= newest->time)) newest = &call;
        const std::string expected = newest == nullptr    ? "x"
                                     : newest->value == 0 ? "0"
                                     : newest->value == 4 ? "100"
                                     : newest->value == 3 ? "11"
                                     : newest->value == 2 ? "10"
                                                          : "1";
        RC_ASSERT(vcd.at("s." + std::string(1, static_cast<char>('a' + signal)), t) == expected);
      }
    }
  });
  CHECK(holds);
}

TEST_CASE("a withdrawal reaches what is in the ring of its own signal, and nothing that another signal has there by now") {
  std::ostringstream out;
  VcdWriter file(out);
  Waveform waveform({&file}, WaveTrigger{100_ps, 100_ps, 4});
  const WaveSignal a = waveform.vector("s", "a", 8);
  const WaveSignal b = waveform.vector("s", "b", 8);
  waveform.set(a, 1, 10_ps);
  for (std::uint64_t i = 0; i < 3; ++i) waveform.set(b, i + 1, Picoseconds(11 + i));
  waveform.set(a, 2, 40_ps);  // takes the place of the first
  waveform.set(b, 7, 41_ps);
  waveform.withdraw(a.index, 5_ps);
  waveform.set(a, 3, 20_ps);
  waveform.trigger(50_ps);
  waveform.finish(60_ps);
  const auto vcd = read_vcd(out.str());
  CHECK(vcd.at("s.a", 45) == "11");
  CHECK(vcd.at("s.b", 13) == "11");
  CHECK(vcd.at("s.b", 45) == "111");
}

TEST_CASE("property: whatever a ring still holds, a trigger's window shows what a plain list says") {
  CHECK(rc::check([] {
    struct Call {
      std::uint64_t time;
      std::uint32_t signal;
      std::uint64_t value;
      bool replaces;
    };
    std::vector<Call> calls;
    std::uint64_t time = 1;
    for (const auto& [what, ahead] : *rc::gen::arbitrary<std::vector<std::pair<std::uint8_t, std::uint8_t>>>()) {
      time += what % 4;
      const bool replaces = ahead % 4 == 3;
      calls.push_back({replaces ? time : time + ahead % 7, what % 3U, calls.size() % 200, replaces});
    }
    std::ostringstream out;
    VcdWriter file(out);
    Waveform waveform({&file}, WaveTrigger{100_us, 100_us, *rc::gen::inRange<std::size_t>(1, 100)});
    for (const char* name : {"a", "b", "c"}) (void)waveform.vector("s", name, 8);
    for (const auto& [at, signal, value, replaces] : calls) {
      if (replaces) waveform.withdraw(signal, Picoseconds(at));
      waveform.change(signal, value, Picoseconds(at));
    }
    waveform.trigger(Picoseconds(time));
    waveform.finish(Picoseconds(time + 100));
    const auto vcd = read_vcd(out.str());
    for (std::uint32_t signal = 0; signal < 3; ++signal) {
      std::vector<Call> list;
      for (const Call& call : calls) {
        if (call.signal != signal) continue;
        if (call.replaces) std::erase_if(list, [&call](const Call& other) { return other.time > call.time; });
        list.push_back(call);
      }
      std::ranges::stable_sort(list, {}, &Call::time);
      for (const Call& call : list) {
        if (call.time < waveform.start().value()) continue;
        const auto last = std::ranges::upper_bound(list, call.time, {}, &Call::time) - 1;
        RC_ASSERT(std::stoull(vcd.at("s." + std::string(1, static_cast<char>('a' + signal)), call.time), nullptr, 2) == last->value);
      }
      const auto before = std::ranges::upper_bound(list, waveform.start().value(), {}, &Call::time);
      const std::string shown = vcd.at("s." + std::string(1, static_cast<char>('a' + signal)), waveform.start().value());
      const bool right = before == list.begin() ? shown == "x" : shown != "x" && std::stoull(shown, nullptr, 2) == before[-1].value;
      RC_ASSERT(right);
    }
  }));
}

TEST_CASE("a time step is written whole, wherever the recorder has to make room") {
  for (std::uint64_t ahead = 0; ahead < 4; ++ahead) {
    std::ostringstream out;
    VcdWriter file(out);
    Waveform waveform({&file}, {WaveWindow{}});
    const WaveSignal a = waveform.vector("s", "a", 64);
    const WaveSignal b = waveform.bit("s", "b");
    waveform.set(b, 0, 1_ps);
    for (std::uint64_t t = 1 + ahead; t < (1 << 15); ++t) waveform.set(a, t, Picoseconds(t));
    for (const std::uint64_t value : {1, 0}) waveform.set(b, value, Picoseconds(1 << 15));
    for (std::uint64_t t = (1 << 15) + 1; t < 3 << 15; ++t) waveform.set(a, t, Picoseconds(t));
    waveform.finish(Picoseconds(3 << 15));
    CHECK(read_vcd(out.str()).signals.at("s.b") == Changes{{0, "x"}, {1, "0"}});
  }
}

TEST_CASE("the standard's form has no strings: comments say what numbers stand for, before they are taken") {
  SignalScope scope;
  const Signal state = scope.state("state", {"idle", "busy"});
  const Signal task = scope.text("task", "none");
  std::ostringstream out;
  VcdWriter file(out, VcdForm::standard);
  Waveform waveform({&file}, {WaveWindow{}});
  scope.each("top", [&](const std::string& path, SignalScope& of, std::uint32_t index, const SignalInfo& info) {
    of.watch(index, waveform, waveform.record(path, info).index);
  });
  state.set(1, 5_ns);
  task.show("serve", 6_ns);
  task.show("none", 7_ns);
  task.show("serve", 8_ns);
  waveform.finish(9_ns);
  const std::string text = out.str();
  CHECK(text.find("string") == std::string::npos);
  const auto at = [&text](const char* part) {
    const std::size_t found = text.find(part);
    INFO(part << " in\n" << text);
    CHECK(found != std::string::npos);
    return found;
  };
  CHECK(at("$comment words ! 0 idle busy $end\n") < at("$enddefinitions $end\n"));
  CHECK(at("serve") < at("b1 \"\n"));
  CHECK(text.find("serve", at("serve") + 1) == std::string::npos);  // said once
}
