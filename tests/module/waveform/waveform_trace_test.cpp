// The recorder beside SystemC's own tracing, on signals that both see.
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <systemc>

#include "base/timeline_module.hpp"
#include "base/vcd_writer.hpp"
#include "base/waveform.hpp"
#include "support/sc_trace_reader.hpp"
#include "support/vcd_reader.hpp"

using namespace tessera;

namespace {

struct Traffic : sc_core::sc_module {
  sc_core::sc_signal<bool> busy{"busy"};
  sc_core::sc_signal<sc_dt::sc_uint<12>> track{"track"};
  Waveform& waveform;
  WaveSignal wave_busy;
  WaveSignal wave_track;

  Traffic(sc_core::sc_module_name name, Waveform& recorder)
      : sc_module(name),
        waveform(recorder),
        wave_busy(recorder.bit("SystemC", "busy")),
        wave_track(recorder.vector("SystemC", "track", 12)) {
    SC_HAS_PROCESS(Traffic);
    SC_THREAD(run);
  }

  void write(bool new_busy, unsigned new_track) {
    const Picoseconds now = from_sc_time(sc_core::sc_time_stamp());
    busy.write(new_busy);
    track.write(new_track);
    waveform.set(wave_busy, new_busy ? 1 : 0, now);
    waveform.set(wave_track, new_track, now);
  }

  void run() {
    write(false, 0);
    std::uint32_t state = 12345;
    for (int i = 0; i < 500; ++i) {
      state = state * 1664525U + 1013904223U;
      wait(sc_core::sc_time(1 + (state >> 24), sc_core::SC_PS));
      write((state >> 8) & 1U, (state >> 12) & 0xFU);
    }
    wait(sc_core::sc_time(1, sc_core::SC_PS));  // sc_trace samples a time step when the next one begins
    sc_core::sc_stop();
  }
};

}  // namespace

TEST_CASE("the recorder and sc_trace give the same changes at the same picosecond") {
  sc_core::sc_set_time_resolution(1, sc_core::SC_PS);
  const std::string base = (std::filesystem::temp_directory_path() / ("tessera_sc_trace_" + std::to_string(::getpid()))).string();
  std::ostringstream out;
  VcdWriter waveform_file(out);
  Waveform waveform({&waveform_file}, {WaveWindow{}});
  Traffic traffic("traffic", waveform);
  sc_core::sc_trace_file* file = sc_core::sc_create_vcd_trace_file(base.c_str());
  file->set_time_unit(1, sc_core::SC_PS);
  sc_core::sc_trace(file, traffic.busy, "busy");
  sc_core::sc_trace(file, traffic.track, "track");
  sc_core::sc_start();
  waveform.finish(from_sc_time(sc_core::sc_time_stamp()));
  sc_core::sc_close_vcd_trace_file(file);
  const auto theirs = test::read_sc_trace(base + ".vcd");
  std::filesystem::remove(base + ".vcd");
  const auto ours = test::read_vcd(out.str());
  for (const std::string name : {"busy", "track"}) {
    const auto& changes = ours.signals.at("SystemC." + name);
    REQUIRE(changes.size() == theirs.at(name).size());
    CHECK(changes.size() > 100);
    auto other = theirs.at(name).begin();
    for (const auto& change : changes) {
      CHECK(change.time == other->first);
      CHECK(change.value == other->second);
      ++other;
    }
  }
}
