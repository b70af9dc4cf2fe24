#pragma once
// A change of a signal as it is told, in 24 bytes.
#include <cstdint>
#include <limits>

#include "base/units.hpp"

namespace tessera {

/// A signal has the value from this time on. Or a use (see UseSignals): the signal is 1 from this time on and then 0, and the next signal
/// has the value.
struct SignalChange {
  static constexpr unsigned number_bits = 32;
  static constexpr std::uint64_t longest_use = std::numeric_limits<std::uint32_t>::max();  ///< ps

  Picoseconds time;
  std::uint64_t value = 0;
  std::uint64_t signal = 0;  ///< its number; of a use how long it lasts, in ps, from bit 32 on

  [[nodiscard]] bool is_use() const { return signal >> number_bits != 0; }

  /// Calls tell(time, value, signal) for each change of a single signal that it stands for, in the order in which they are told.
  template <class Tell>
  void each(Tell&& tell) const {
    if (!is_use()) return tell(time, value, signal);
    const std::uint64_t number = signal & longest_use;
    tell(time, 1, number);
    tell(time, value, number + 1);
    tell(Picoseconds(time.value() + (signal >> number_bits)), 0, number);
  }
};

}  // namespace tessera
