#pragma once
// What a recorder is told, in order: changes of signals, their uses, and withdrawals.
#include <cstdint>

#include "base/signal_change.hpp"

namespace tessera {

/// With a signal's number: what was told of it before for later times than this one does not happen.
constexpr std::uint64_t withdrawal_bit = std::uint64_t{1} << (SignalChange::number_bits - 1);

[[nodiscard]] constexpr SignalChange withdrawal_of(std::uint64_t signal, Picoseconds at) { return {at, 0, signal | withdrawal_bit}; }

/// Calls tell(time, value, signal) for each change of a single signal, in the order in which they are told, or withdraw(signal, time).
template <class Tell, class Withdraw>
void each_told(const SignalChange& told, Tell&& tell, Withdraw&& withdraw) {
  if (told.signal < withdrawal_bit) return tell(told.time, told.value, told.signal);
  if (told.is_use()) return told.each(tell);
  withdraw(told.signal & ~withdrawal_bit, told.time);
}

}  // namespace tessera
