#pragma once
// What a translating host's processor does, counted: a cost for each kind of operation. The figures are ours, of the order of what a block
// layer and a device-mapper target take on a server core; nothing but the time of an answer from memory delays a request.
#include <cstdint>

#include "base/parameter.hpp"
#include "base/units.hpp"

namespace tessera {

struct HostCpuConfig {
  Picoseconds request{5'000'000};  // 5 us
  Picoseconds command{3'000'000};  // 3 us
  Picoseconds sector{100'000};     // 100 ns

  void describe(ParameterVisitor& v) {
    v.field("request", request, {0, 1e12}, "of the application: time from its arrival to an answer from host memory");
    v.field("command", command, {0, 1e12}, "sent to the drive");
    v.field("sector", sector, {0, 1e12}, "looked up, entered or moved in a map or buffer");
  }
};

/// Operations so far.
struct HostCpu {
  std::uint64_t requests = 0;
  std::uint64_t sectors = 0;

  [[nodiscard]] Picoseconds time(const HostCpuConfig& cost, std::uint64_t commands) const {
    return cost.request * requests + cost.command * commands + cost.sector * sectors;
  }
};

}  // namespace tessera
