#include <boost/json.hpp>
#include <catch2/catch.hpp>
#include <map>
#include <sstream>

#include "base/waveform.hpp"
#include "platforms/output/save_file.hpp"
#include "platforms/output/timeline_writer.hpp"

using namespace tessera;
using namespace tessera::literals;

namespace {

/// A drive of one tag and one disk command, recorded as a timeline.
struct Recorded {
  SignalScope host;
  SignalScope controller;
  SignalScope& tag = host.part("tag_00");
  Signal phase = tag.state("phase", {"idle", "link", "seek"});
  Signal op = tag.state("op", {"read", "write"});
  Signal request = tag.number("request", 40);
  Signal depth = controller.level("queue", 8);
  SignalScope& command = controller.part("command");
  Signal disk = command.state("op", {"none", "read", "write"});
  Signal disk_tag = command.number("tag", 16);
  Signal radius = command.number("radius", 32);
  std::ostringstream out;
  TimelineWriter file{out};
  Waveform recorder;

  explicit Recorded(WaveWindow window = {}) : recorder({&file}, {window}) {
    const auto record = [this](const std::string& path, SignalScope& scope, std::uint32_t index, const SignalInfo& info) {
      scope.watch(index, recorder, recorder.record(path, info).index);
    };
    host.each("drive.host", record);
    controller.each("drive.controller", record);
  }
  /// The events behind the descriptions of threads, each on a line, without commas at the end.
  [[nodiscard]] std::vector<std::string> events() const {
    std::vector<std::string> lines;
    std::istringstream in(out.str());
    for (std::string line; std::getline(in, line);) {
      if (line.find("\"ph\"") == std::string::npos || line.find("\"ph\":\"M\"") != std::string::npos) continue;
      if (line.back() == ',') line.pop_back();
      lines.push_back(line);
    }
    return lines;
  }
};

using Lines = std::vector<std::string>;

}  // namespace

// Request 7 comes at 1 us, is on the link until 3 us, seeks until 9 us; its disk command lasts from 3 us to 9 us.
TEST_CASE("timeline: a lane holds the command and in it its phases, and an arrow leads to the work of a device") {
  Recorded r;
  r.request.set(7, 1_us);
  r.op.set(1, 1_us);
  r.phase.set(1, 1_us);
  r.phase.set(2, 3_us);
  r.disk.set(2, 3_us);
  r.disk_tag.set(0, 3_us);
  r.radius.set(42, 3_us);
  r.disk.set(0, 9_us);
  r.phase.set(0, 9_us);
  r.recorder.finish(10_us);
  CHECK(r.events() == Lines{
                          R"({"ph":"C","pid":2,"tid":0,"ts":0.000000,"name":"queue","args":{"value":0}})",
                          R"({"ph":"B","pid":1,"tid":1,"ts":1.000000,"name":"write 7","args":{"op":"write","request":7}})",
                          R"({"ph":"B","pid":1,"tid":1,"ts":1.000000,"name":"link"})",
                          R"({"ph":"E","pid":1,"tid":1,"ts":3.000000})",
                          R"({"ph":"B","pid":1,"tid":1,"ts":3.000000,"name":"seek"})",
                          R"({"ph":"B","pid":2,"tid":2,"ts":3.000000,"name":"write","args":{"tag":0,"radius":42}})",
                          R"({"ph":"s","pid":1,"tid":1,"ts":3.000000,"cat":"work","name":"work","id":0})",
                          R"({"ph":"f","pid":2,"tid":2,"ts":3.000000,"cat":"work","name":"work","bp":"e","id":0})",
                          R"({"ph":"E","pid":1,"tid":1,"ts":9.000000})",
                          R"({"ph":"E","pid":1,"tid":1,"ts":9.000000})",
                          R"({"ph":"E","pid":2,"tid":2,"ts":9.000000})",
                      });
}

TEST_CASE("timeline: work that follows without a gap is a slice of its own, also in the same state") {
  Recorded r;
  r.request.set(7, 1_us);
  r.phase.set(1, 1_us);
  r.request.set(8, 2_us);  // the tag is used again at the instant at which it came free
  r.disk.set(1, 1_us);
  r.disk_tag.set(9, 1_us);  // a tag that is not recorded has no lane: no arrow
  r.disk_tag.set(3, 4_us);
  r.recorder.finish(5_us);
  Lines begins;
  for (const std::string& line : r.events())
    if (line.find("\"ph\":\"B\"") != std::string::npos) begins.push_back(line.substr(line.find("\"ts\"")));
  CHECK(begins == Lines{R"("ts":1.000000,"name":"read 7","args":{"op":"read","request":7}})", R"("ts":1.000000,"name":"link"})",
                        R"("ts":1.000000,"name":"read","args":{"tag":9}})",
                        R"("ts":2.000000,"name":"read 8","args":{"op":"read","request":8}})", R"("ts":2.000000,"name":"link"})",
                        R"("ts":4.000000,"name":"read","args":{"tag":3}})"});
  CHECK(r.out.str().find("\"ph\":\"s\"") == std::string::npos);
}

TEST_CASE("timeline: a window begins the slices that are open and ends what is still open at its end") {
  Recorded r(WaveWindow{2_us, 4_us});
  r.request.set(7, 1_us);
  r.phase.set(1, 1_us);
  r.depth.set(3, 1_us);
  r.phase.set(2, 3_us);
  r.phase.set(0, 5_us);
  r.recorder.finish(9_us);
  CHECK(r.events() == Lines{
                          R"({"ph":"B","pid":1,"tid":1,"ts":2.000000,"name":"read 7","args":{"op":"read","request":7}})",
                          R"({"ph":"B","pid":1,"tid":1,"ts":2.000000,"name":"link"})",
                          R"({"ph":"C","pid":2,"tid":0,"ts":2.000000,"name":"queue","args":{"value":3}})",
                          R"({"ph":"E","pid":1,"tid":1,"ts":3.000000})",
                          R"({"ph":"B","pid":1,"tid":1,"ts":3.000000,"name":"seek"})",
                          R"({"ph":"E","pid":1,"tid":1,"ts":4.000000})",
                          R"({"ph":"E","pid":1,"tid":1,"ts":4.000000})",
                      });
}

TEST_CASE("timeline: what is in the file at any time opens, but for the bracket at its end") {
  Recorded r;
  for (std::uint64_t i = 0; i < 200'000; ++i) {
    r.phase.set(1 + i % 2, Picoseconds(10 * i));
    if (i % 100'000 != 99'999) continue;
    const std::string so_far = r.out.str();
    CHECK_NOTHROW(boost::json::parse(so_far + "]"));
    CHECK(so_far.size() > 1'000'000);  // streamed: it does not wait for the end
  }
  r.recorder.finish(1_s);
  CHECK_NOTHROW(boost::json::parse(r.out.str()));
}

TEST_CASE("timeline: a run without its window says so") {
  Recorded r(WaveWindow{2_us, 4_us});
  r.recorder.finish(1_us);
  const boost::json::array events = boost::json::parse(r.out.str()).as_array();
  CHECK(events.back().at("name").as_string() == "nothing was recorded: the run ended before the window");
}

TEST_CASE("save file: a group for each scope, with radix and colour by kind, levels as curves, many alike folded, all in one view") {
  SignalScope scope;
  static_cast<void>(scope.number("row", 8));
  static_cast<void>(scope.level("queue", 8));
  SignalScope& die = scope.part("die_0");
  static_cast<void>(die.state("state", {"idle", "busy"}));
  std::vector<ShownSignal> shown;
  scope.each("drive.nand", [&shown](const std::string& path, SignalScope&, std::uint32_t, const SignalInfo& info) {
    shown.push_back({.scope = path, .info = &info});
  });
  std::ostringstream out;
  write_save_file(out, "/tmp/w.vcd", shown, {.start = 5_ns, .end = 5_ns + Picoseconds(5120)});  // 1024 ps to 200 of 1000 pixels
  CHECK(out.str() ==
        "[*] Tessera\n[dumpfile] \"/tmp/w.vcd\"\n[size] 1600 900\n[sst_width] 280\n[signals_width] 320\n[timestart] 5000\n*-10 -1\n"
        "@800200\n-drive.nand\n"
        "@24\n[color] 2\ndrive.nand.row[7:0]\n"
        "@8024\n[color] 3\ndrive.nand.queue[7:0]\n@20200\n-\n-\n"
        "@1000200\n-drive.nand\n"
        "@c00200\n-drive.nand.die_0\n"
        "@22\n[color] 5\ndrive.nand.die_0.state\n"
        "@1400200\n-drive.nand.die_0\n");
}

TEST_CASE("save file: what one looks at first comes first, around the marker, and states that are numbers have their words in a file") {
  SignalScope scope;
  SignalScope& media = scope.part("media");
  static_cast<void>(scope.number("row", 8));
  static_cast<void>(media.state("state", {"idle", "seek"}));
  static_cast<void>(media.number("head_radius", 32));
  std::vector<ShownSignal> shown;
  scope.each("drive", [&shown](const std::string& path, SignalScope&, std::uint32_t, const SignalInfo& info) {
    shown.push_back({.scope = path, .info = &info, .words = info.words.empty() ? "" : "/tmp/w.words/0.txt"});
  });
  std::ostringstream out;
  write_save_file(out, "/tmp/w.vcd", shown, {.start = 5_ns, .end = 5_ns + Picoseconds(5120), .marker = 6_ns});
  CHECK(out.str().find("*-10 6000\n"
                       "@800200\n-first look\n"
                       "@2022\n[color] 5\n^1 /tmp/w.words/0.txt\n+{media state} drive.media.state\n"
                       "@24\n[color] 2\n+{media head_radius} drive.media.head_radius[31:0]\n"
                       "@1000200\n-first look\n"
                       "@800200\n-drive\n") != std::string::npos);
  std::ostringstream words;
  scope.each("drive", [&words](const std::string&, SignalScope&, std::uint32_t, const SignalInfo& info) {
    if (!info.words.empty()) write_words(words, info);
  });
  CHECK(words.str() == "0 idle\n1 seek\n");
}
