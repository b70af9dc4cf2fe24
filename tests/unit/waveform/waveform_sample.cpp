// Writes a fixed waveform to standard output, for readers that others wrote (tests/python/test_waveform.py).
#include <iostream>

#include "base/vcd_writer.hpp"
#include "base/waveform.hpp"

int main() {
  using namespace tessera;
  using namespace tessera::literals;
  VcdWriter waveform_file(std::cout);
  Waveform waveform({&waveform_file}, {WaveWindow{10_us, 20_us}});
  const WaveSignal busy = waveform.bit("drive.media", "busy");
  const WaveSignal track = waveform.vector("drive.media", "track", 17);
  const WaveSignal state = waveform.state("drive.media", "state", {"idle", "seek", "transfer"});
  const WaveSignal depth = waveform.vector("drive.host", "queue_depth", 6);
  (void)waveform.vector("drive.cpu", "never_set", 4);
  waveform.set(busy, 0, 0_us);
  waveform.set(track, 100'000, 1_us);
  waveform.set(depth, 32, 2_us);
  waveform.set(state, 1, 3_us);
  waveform.set(busy, 1, 12_us);
  waveform.set(track, 5, 11_us);
  waveform.set(state, 2, 15_us);
  waveform.set(state, 0, 25_us);
  waveform.finish(30_us);
}
