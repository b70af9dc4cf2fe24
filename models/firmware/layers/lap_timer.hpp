#pragma once
// What the parts of a long operation take.
#include "firmware/ports/cpu_port.hpp"

namespace tessera {

class LapTimer {
 public:
  explicit LapTimer(const CpuPort& cpu) : cpu_(cpu), begun_(cpu.now()) {}
  /// The time since the lap before, or since the beginning.
  Picoseconds lap() {
    const Picoseconds before = begun_;
    begun_ = cpu_.now();
    return begun_ - before;
  }

 private:
  const CpuPort& cpu_;
  Picoseconds begun_;
};

}  // namespace tessera
