#pragma once
// How simulated time goes with the clock on the wall: not at all, or in a fixed ratio from an instant on.
#include <algorithm>
#include <chrono>
#include <cstdint>

#include "base/units.hpp"

namespace tessera {

class Pace {
 public:
  using Clock = std::chrono::steady_clock;

  /// Nobody waits for the clock.
  Pace() = default;
  /// A simulated second takes `numerator / denominator` seconds.
  Pace(std::uint64_t numerator, std::uint64_t denominator) : numerator_(numerator), denominator_(denominator) {}

  [[nodiscard]] bool imposed() const { return numerator_ != 0; }

  /// From here on `simulated` is at `clock`.
  void begin(Picoseconds simulated, Clock::time_point clock) {
    simulated_ = simulated;
    clock_ = clock;
  }
  /// How long it is from `clock` until `simulated` is due; zero where it is overdue.
  [[nodiscard]] std::chrono::nanoseconds until(Picoseconds simulated, Clock::time_point clock) const {
    const std::uint64_t since = simulated > simulated_ ? (simulated - simulated_).value() / ps_per_ns : 0;
    const auto due = clock_ + std::chrono::nanoseconds(scale_rounded(since, numerator_, denominator_));
    return std::max(due - clock, std::chrono::nanoseconds(0));
  }
  /// What simulated time it is at `clock`.
  [[nodiscard]] Picoseconds at(Clock::time_point clock) const {
    const auto since = static_cast<std::uint64_t>(std::max(clock - clock_, Clock::duration(0)).count());
    return simulated_ + Picoseconds(scale_rounded(since, denominator_, numerator_)) * ps_per_ns;
  }

 private:
  static constexpr std::uint64_t ps_per_ns = 1'000;

  std::uint64_t numerator_ = 0;
  std::uint64_t denominator_ = 1;
  Picoseconds simulated_;
  Clock::time_point clock_;
};

}  // namespace tessera
