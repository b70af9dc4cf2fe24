#pragma once
// What a description says about the controller's interconnect. Defaults: the master port of an ARM Cortex-R5 (technical reference manual
// DDI 0460D, "AXI master interface": 64 bits, AXI3, so at most 16 beats a burst) with the bus at the core's clock; 3.2 GB/s of DRAM are
// then slower than the bus.
#include <cstdint>

#include "base/parameter.hpp"
#include "base/units.hpp"

namespace tessera {

enum class BusArbitration : std::uint32_t { round_robin, fixed_priority, weighted };

/// A number for each initiator; the engines of all flash channels have the same.
struct BusRanks {
  std::uint32_t copy = 1;
  std::uint32_t host = 1;
  std::uint32_t disk = 1;
  std::uint32_t flash = 1;

  bool operator==(const BusRanks&) const = default;
  void describe(ParameterVisitor& v);
};

struct BusConfig {
  std::uint32_t width = 8;
  Hertz clock{500'000'000};
  std::uint32_t crossing = 4;  // cycles: a register slice at either end, for the request and for the answer
  std::uint32_t burst = 16;
  BusArbitration arbitration = BusArbitration::round_robin;
  BusRanks weights;
  BusRanks priorities{1, 2, 4, 3};  // the platters cannot wait, the host can

  void describe(ParameterVisitor& v);
};

}  // namespace tessera
