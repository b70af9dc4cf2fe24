#pragma once
// The heat of one interval, for tests of the plans that follow from it.
#include <utility>
#include <vector>

#include "firmware/logs/heat_log.hpp"
#include "unit/firmware/fake_ports.hpp"

namespace tessera::test {

/// How often each track is written.
using Counts = std::vector<std::pair<std::uint32_t, int>>;

struct CountedHeat {
  explicit CountedHeat(const Counts& counts) : log(cpu, memory, writes(counts)) {
    for (const auto& [track, times] : counts)
      for (int i = 0; i < times; ++i) log.note(track);
    log.count();
  }
  static std::uint32_t writes(const Counts& counts) {
    std::uint32_t sum = 0;
    for (const auto& [track, times] : counts) sum += static_cast<std::uint32_t>(times);
    return sum;
  }

  FakeCpu cpu;
  FakeMemory memory;
  HeatLog log;
};

}  // namespace tessera::test
