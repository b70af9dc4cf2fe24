#include "base/signal.hpp"

#include <catch2/catch.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/vcd_writer.hpp"
#include "base/waveform.hpp"
#include "support/vcd_reader.hpp"

using namespace tessera;
using namespace tessera::literals;
using Changes = std::vector<test::VcdChange>;

namespace {

struct Log final : SignalSink {
  void change(std::uint32_t id, std::uint64_t value, Picoseconds at) override {
    told.push_back(std::to_string(id) + "=" + std::to_string(value) + "@" + std::to_string(at.value()));
  }
  void withdraw(std::uint32_t id, Picoseconds at) override { told.push_back(std::to_string(id) + " beyond " + std::to_string(at.value())); }
  std::vector<std::string> told;
};
using Told = std::vector<std::string>;

/// Watches every signal of the scope with the recorder, as a run does.
void record_all(Waveform& recorder, SignalScope& scope) {
  scope.each("drive", [&recorder](const std::string& path, SignalScope& declared, std::uint32_t index, const SignalInfo& info) {
    declared.watch(index, recorder, recorder.record(path, info).index);
  });
}

}  // namespace

TEST_CASE("a signal tells whoever watches it, under the watcher's own number, and nobody else") {
  SignalScope scope;
  const Signal depth = scope.level("depth", 8);
  const Signal busy = scope.bit("busy");
  Log one;
  Log two;
  depth.set(1, 1_ps);
  CHECK_FALSE(depth.watched());
  depth.watch(one, 7);
  depth.watch(two, 9);
  CHECK(depth.watched());
  depth.set(2, 2_ps);
  busy.set(1, 3_ps);
  scope.unwatch(one);
  depth.set(3, 4_ps);
  scope.unwatch(two);
  CHECK_FALSE(depth.watched());
  CHECK(one.told == Told{"7=2@2"});
  CHECK(two.told == Told{"9=2@2", "9=3@4"});
}

TEST_CASE("signals of a block's parts lie under the path of the part, in order of declaration") {
  SignalScope block;
  SignalScope channel;
  static_cast<void>(channel.level("queue", 8));
  static_cast<void>(block.bit("rail"));
  block.add("channel", channel);
  static_cast<void>(block.part("die_0").number("page", 32));
  std::vector<std::string> paths;
  block.each("drive.block", [&paths](const std::string& path, SignalScope&, std::uint32_t, const SignalInfo& info) {
    paths.push_back(path + "." + info.name);
  });
  CHECK(paths == std::vector<std::string>{"drive.block.rail", "drive.block.channel.queue", "drive.block.die_0.page"});
}

// A recorder that alone watches gets a row and a use as such; next to a second watcher, or with a part of them, signal by signal.
TEST_CASE("a row of signals and the use of a part are recorded alike, whoever else watches") {
  const auto recorded = [](bool alone) {
    SignalScope scope;
    const Signal op = scope.level("op", 8);
    const Signal sector = scope.level("sector", 8);
    const UseSignals bus(scope.part("bus"));
    std::ostringstream out;
    VcdWriter file(out);
    Waveform recorder({&file}, {WaveWindow{}});
    record_all(recorder, scope);
    Log log;
    if (!alone) sector.watch(log, 1);
    if (!alone)
      scope.each("", [&log](const std::string&, SignalScope& declared, std::uint32_t index, const SignalInfo& info) {
        if (info.name == "bytes") declared.watch(index, log, 2);
      });
    op.set_row<2>({1, 7}, 5_ps);
    bus.show(64, 10_ps, 14_ps);
    bus.show(32, 14_ps, 20_s);  // longer than a use can be told
    bus.show(8, 30_s, 30_s);
    for (std::uint64_t i = 0; i < 600; ++i) op.set_row<2>({i, i + 1}, Picoseconds(20 + i));
    recorder.finish(31_s);
    if (!alone) CHECK(log.told.front() == "1=7@5");
    if (!alone) CHECK(log.told[1] == "2=64@10");
    return out.str();
  };
  const std::string text = recorded(true);
  CHECK(text == recorded(false));
  const auto vcd = test::read_vcd(text);
  CHECK(vcd.at("drive.op", 5) == "1");
  CHECK(vcd.at("drive.sector", 5) == "111");
  CHECK(vcd.signals.at("drive.bus.use") == Changes{{0, "idle"}, {10, "moving"}, {20'000'000'000'000, "idle"}});
  CHECK(vcd.at("drive.bus.bytes", 12) == "1000000");
  CHECK(vcd.at("drive.bus.bytes", 14) == "100000");
  CHECK(vcd.at("drive.sector", 619) == "1011000");  // 600, cut to 8 bits
}

TEST_CASE("uses that have left a ring are what a window begins with, as the changes that they stand for") {
  SignalScope block;
  const UseSignals first(block.part("first"));
  const UseSignals second(block.part("second"));
  const Signal level = block.level("level", 4);
  std::ostringstream out;
  VcdWriter file(out);
  Waveform waveform({&file}, WaveTrigger{100_ps, 100_ps, 4});
  record_all(waveform, block);
  first.show(512, 10_ps, 20_ps);
  second.show(7, 15_ps, 30_ps);
  second.show(9, 16_ps, 25_ps);                                                    // told later, over earlier
  for (std::uint64_t at = 31; at < 45; ++at) level.set(at + 16, Picoseconds(at));  // cut to its four bits
  waveform.trigger(60_ps);
  waveform.finish(70_ps);
  const auto vcd = test::read_vcd(out.str());
  const std::uint64_t start = waveform.start().value();
  CHECK(start > 30);
  CHECK(vcd.at("drive.first.use", start) == "idle");
  CHECK(vcd.at("drive.first.bytes", start) == "1000000000");
  CHECK(vcd.at("drive.second.use", start) == "idle");
  CHECK(vcd.at("drive.second.bytes", start) == "1001");
  CHECK(std::stoull(vcd.at("drive.level", start), nullptr, 2) == start % 16);
}

TEST_CASE("a text keeps each different word once, and makes one word of several") {
  SignalScope scope;
  const Signal task = scope.text("task", "idle");
  Log log;
  task.watch(log, 0);
  for (const char* word : {"read", "read ahead", "read", "idle", "read ahead"}) task.show(word, 1_ps);
  CHECK(log.told == Told{"0=1@1", "0=2@1", "0=1@1", "0=0@1", "0=2@1"});
  scope.each("", [](const std::string&, SignalScope&, std::uint32_t, const SignalInfo& info) {
    CHECK(info.words == std::vector<std::string>{"idle", "read", "read_ahead"});
  });
}

TEST_CASE("a name that is there already, or holds blanks, dots or quotation marks, is a model bug") {
  SignalScope scope;
  static_cast<void>(scope.bit("a"));
  CHECK_THROWS_AS(scope.level("a", 3), ModelBug);
  CHECK_THROWS_AS(scope.bit("a b"), ModelBug);
  CHECK_THROWS_AS(scope.bit("a.b"), ModelBug);
  CHECK_THROWS_AS(scope.level("wide", 65), ModelBug);
  CHECK_THROWS_AS(scope.state("s", {"say \"no\""}), ModelBug);
  static_cast<void>(scope.part("die"));
  CHECK_THROWS_AS(scope.part("die"), ModelBug);
}

TEST_CASE("signals show what they declare at rest until their first change") {
  SignalScope scope;
  static_cast<void>(scope.bit("rail", 1));
  static_cast<void>(scope.number("row", 8));
  static_cast<void>(scope.number("head", 8, 5));
  static_cast<void>(scope.state("state", {"idle", "busy"}));
  const Signal gauge = scope.level("gauge", 8);
  gauge.set_at_rest(3);
  std::ostringstream out;
  VcdWriter file(out);
  Waveform recorder({&file}, {WaveWindow{}});
  record_all(recorder, scope);
  recorder.finish(1_ps);
  const auto vcd = test::read_vcd(out.str());
  CHECK(vcd.at("drive.rail", 0) == "1");
  CHECK(vcd.at("drive.row", 0) == "x");
  CHECK(vcd.at("drive.head", 0) == "101");
  CHECK(vcd.at("drive.state", 0) == "idle");
  CHECK(vcd.at("drive.state_code", 0) == "0");
  CHECK(vcd.at("drive.gauge", 0) == "11");
}

// A read is announced for 50, its end for 80; the power fails at 40, and nothing of it happens.
TEST_CASE("what a signal announced for later does not happen once it is replaced") {
  SignalScope scope;
  const Signal state = scope.state("state", {"idle", "seek", "read", "off"});
  std::ostringstream out;
  VcdWriter file(out);
  const bool triggered = GENERATE(false, true);
  Waveform recorder = triggered ? Waveform({&file}, WaveTrigger{1_ns, 1_ns}) : Waveform({&file}, {WaveWindow{}});
  record_all(recorder, scope);
  state.set(1, 10_ps);
  state.set(2, 50_ps);
  state.set(0, 80_ps);
  state.replace(3, 40_ps);
  recorder.trigger(60_ps);
  recorder.finish(100_ps);
  CHECK(test::read_vcd(out.str()).signals.at("drive.state") == Changes{{0, "idle"}, {10, "seek"}, {40, "off"}});
}

TEST_CASE("what was announced for a time before the window and replaced is not what the window begins with") {
  SignalScope scope;
  const Signal state = scope.state("state", {"idle", "read", "off"});
  std::ostringstream out;
  VcdWriter file(out);
  Waveform recorder({&file}, {WaveWindow{100_ps, 200_ps}});
  record_all(recorder, scope);
  state.set(1, 90_ps);
  state.replace(2, 40_ps);
  recorder.finish(150_ps);
  CHECK(test::read_vcd(out.str()).at("drive.state", 100) == "off");
}

TEST_CASE("several windows hold their own changes each, and between them nothing is known") {
  std::ostringstream out;
  VcdWriter file(out);
  Waveform recorder({&file}, {WaveWindow{10_ps, 20_ps}, WaveWindow{30_ps, 40_ps}});
  const WaveSignal n = recorder.vector("drive", "n", 8);
  const WaveSignal s = recorder.state("drive", "s", {"a", "b"});
  recorder.set(s, 1, 1_ps);
  for (std::uint64_t t = 5; t < 60; t += 5) recorder.set(n, t, Picoseconds(t));
  recorder.finish(60_ps);
  CHECK(out.str().substr(out.str().find("#10")) ==
        "#10\n$dumpvars\nb1010 !\nsb \"\nb1 $\n$end\n"
        "#15\nb1111 !\n"
        "#20\n$dumpoff\nbx !\nsunknown \"\nbx $\n$end\n"
        "#30\n$dumpon\nb11110 !\nsb \"\nb1 $\n$end\n"
        "#35\nb100011 !\n"
        "#40\n");
}

TEST_CASE("a run that ends inside the first of two windows, or between them, closes what is open") {
  for (const std::uint64_t end : {15, 25}) {
    std::ostringstream out;
    VcdWriter file(out);
    Waveform recorder({&file}, {WaveWindow{10_ps, 20_ps}, WaveWindow{30_ps, 40_ps}});
    const WaveSignal n = recorder.bit("drive", "n");
    recorder.set(n, 1, 12_ps);
    recorder.finish(Picoseconds(end));
    const std::string tail = out.str().substr(out.str().find("#10"));
    CHECK(tail ==
          (end == 15 ? "#10\n$dumpvars\nx!\n$end\n#12\n1!\n#15\n" : "#10\n$dumpvars\nx!\n$end\n#12\n1!\n#20\n$dumpoff\nx!\n$end\n"));
  }
}

TEST_CASE("windows that overlap or are empty are a model bug") {
  CHECK_THROWS_AS(Waveform({}, {WaveWindow{10_ps, 20_ps}, WaveWindow{20_ps, 40_ps}}), ModelBug);
  CHECK_THROWS_AS(Waveform({}, {WaveWindow{10_ps, 10_ps}}), ModelBug);
  CHECK_THROWS_AS(Waveform({}, std::vector<WaveWindow>()), ModelBug);
}
