#pragma once
#include <cstdint>

#include "base/units.hpp"

namespace tessera {

/// A signal has the value from this time on.
struct SignalChange {
  Picoseconds time;
  std::uint64_t value = 0;
  std::uint32_t signal = 0;
};

}  // namespace tessera
