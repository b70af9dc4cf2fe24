// Signals in SystemC's own trace files, beside the recorder: the same changes at the same picosecond, although the drive's calendar runs
// ahead of the kernel.
#include <tlm_utils/simple_initiator_socket.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <systemc>

#include "base/signal_trace_module.hpp"
#include "base/timeline_module.hpp"
#include "base/vcd_writer.hpp"
#include "base/waveform.hpp"
#include "dram/dram_module.hpp"
#include "support/sc_trace_reader.hpp"
#include "support/vcd_reader.hpp"

using namespace tessera;
using namespace tessera::literals;

namespace {

/// A trace file that is gone with the test.
class TraceFile {
 public:
  TraceFile()
      : base_((std::filesystem::temp_directory_path() / ("tessera_signals_" + std::to_string(::getpid()))).string()),
        file_(sc_core::sc_create_vcd_trace_file(base_.c_str())) {
    file_->set_time_unit(1, sc_core::SC_PS);
  }
  ~TraceFile() { std::filesystem::remove(base_ + ".vcd"); }
  [[nodiscard]] sc_core::sc_trace_file* file() const { return file_; }
  [[nodiscard]] std::string close() {
    sc_core::sc_close_vcd_trace_file(file_);
    return base_ + ".vcd";
  }

 private:
  std::string base_;
  sc_core::sc_trace_file* file_;
};

/// A block as the drive's are: a core on the calendar, with announcements of what will be, and a shell around it.
struct Block : sc_core::sc_module, private TimelineListener {
  Block(sc_core::sc_module_name name, TimelineModule& drive) : sc_core::sc_module(name), timeline(drive.timeline()) {
    timeline.post(0_ps, *this, 0);
    drive.reschedule();
  }
  void trace(sc_core::sc_trace_file* file) const override { traces.add(file, name()); }
  void on_time(std::uint64_t n) override {
    const Picoseconds now = timeline.now();
    depth.set(n % 7, now);
    if (n % 5 == 0) {
      state.set(1, now + 10_ps);
      state.set(0, now + 40_ps);
    }
    if (n % 15 == 1) state.replace(2, now + 1_ps);  // what was announced at 5 of 15 does not come to its end
    if (n < 300) timeline.post(now + Picoseconds(1 + n * 7 % 23), *this, n + 1);
  }

  Timeline& timeline;
  SignalScope signals;
  Signal depth = signals.level("depth", 3);
  Signal state = signals.part("part").state("state", {"idle", "busy", "off"});
  mutable SignalTraces traces{signals};
};

struct Bench : sc_core::sc_module {
  DramModule dram{"dram", DramConfig{}};
  tlm_utils::simple_initiator_socket<Bench> cpu{"cpu"};
  explicit Bench(sc_core::sc_module_name name) : sc_core::sc_module(name) { cpu.bind(dram.socket); }
};

}  // namespace

TEST_CASE("trace gives a SystemC trace file the changes that the recorder has, at their time, whatever the quantum") {
  TimelineModule drive("timeline", 1_ms);
  Block block("block", drive);
  std::ostringstream out;
  VcdWriter writer(out);
  Waveform recorder({&writer}, {WaveWindow{}});
  block.signals.each(block.name(), [&](const std::string& path, SignalScope& scope, std::uint32_t index, const SignalInfo& info) {
    scope.watch(index, recorder, recorder.record(path, info).index);
  });
  TraceFile trace;
  block.trace(trace.file());
  sc_core::sc_start();
  sc_core::sc_start(1, sc_core::SC_NS);  // sc_trace samples a time step when the next one begins
  recorder.finish(from_sc_time(sc_core::sc_time_stamp()));
  block.signals.unwatch(recorder);
  const std::string path = trace.close();
  const auto theirs = test::read_sc_trace(path);
  const auto ours = test::read_vcd(out.str());
  for (const auto& [name, ours_of] : {std::pair{"depth", "block.depth"}, std::pair{"state", "block.part.state_code"}}) {
    std::vector<std::pair<std::uint64_t, std::string>> expected;
    for (const auto& change : ours.signals.at(ours_of)) expected.emplace_back(change.time, change.value);
    const std::vector<std::pair<std::uint64_t, std::string>> traced(theirs.at(name).begin(), theirs.at(name).end());
    CHECK(expected.size() > 50);
    CHECK(traced == expected);
  }
}

TEST_CASE("a module traces the signals of its block under its own SystemC name") {
  Bench bench("bench");
  DramModule& dram = bench.dram;
  TraceFile trace;
  dram.trace(trace.file());
  const Picoseconds end = dram.device().access(DramAddress(0), 64, Access::read, 100_ns);
  CHECK(end > 100_ns);
  sc_core::sc_start(1, sc_core::SC_US);
  sc_core::sc_start(1, sc_core::SC_US);
  const std::string path = trace.close();
  std::ifstream in(path);
  const std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  CHECK(text.find("$scope module dram") != std::string::npos);
  const auto changes = test::read_sc_trace(path);
  CHECK(changes.at("bank_0_row").size() == 1);  // row 0, as at rest
  CHECK(changes.at("bus").size() == 3);         // idle, cpu, idle
}
