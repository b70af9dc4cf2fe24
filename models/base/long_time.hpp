#pragma once
// Times of years, which 64 bits of picoseconds do not hold.
#include <algorithm>
#include <compare>
#include <cstdint>
#include <optional>

#include "base/units.hpp"

namespace tessera {

/// A simulated time or duration in 128 bits of picoseconds. As Picoseconds it never becomes negative.
class LongTime {
 public:
  using Rep = unsigned __int128;
  constexpr LongTime() = default;
  constexpr LongTime(Picoseconds time) : value_(time.value()) {}  // a Picoseconds is one
  constexpr explicit LongTime(Rep value) : value_(value) {}

  [[nodiscard]] constexpr Rep value() const { return value_; }
  constexpr auto operator<=>(const LongTime&) const = default;
  constexpr LongTime& operator+=(LongTime other) {
    value_ += other.value_;
    return *this;
  }
  constexpr LongTime& operator-=(LongTime other) {
    TESSERA_CHECK(other.value_ <= value_, "a time would become negative");
    value_ -= other.value_;
    return *this;
  }
  friend constexpr LongTime operator+(LongTime a, LongTime b) { return a += b; }
  friend constexpr LongTime operator-(LongTime a, LongTime b) { return a -= b; }
  friend constexpr LongTime operator*(LongTime a, std::uint64_t n) { return LongTime(a.value_ * n); }
  friend constexpr std::uint64_t operator/(LongTime a, LongTime b) { return static_cast<std::uint64_t>(a.value_ / b.value_); }
  friend constexpr LongTime operator%(LongTime a, LongTime b) { return LongTime(a.value_ % b.value_); }

  /// In 64 bits; a model bug where it does not fit.
  [[nodiscard]] constexpr Picoseconds picoseconds() const {
    TESSERA_CHECK(value_ >> 64 == 0, "a time is longer than 213 days");
    return Picoseconds(static_cast<std::uint64_t>(value_));
  }
  /// The same, or the longest there is.
  [[nodiscard]] constexpr Picoseconds saturated() const { return value_ >> 64 == 0 ? picoseconds() : Picoseconds::max(); }
  [[nodiscard]] constexpr double in_picoseconds() const { return static_cast<double>(value_); }

 private:
  Rep value_ = 0;
};

/// busy / whole; undefined over no time.
[[nodiscard]] inline std::optional<double> share_of(LongTime busy, LongTime whole) {
  if (whole == LongTime()) return std::nullopt;
  return busy.in_picoseconds() / whole.in_picoseconds();
}

/// Picojoules that `power` spends in `time`, rounded: those of years leave 64 bits.
[[nodiscard]] inline LongTime::Rep long_energy(Microwatts power, LongTime time) {
  return (time.value() * power.value() + 500'000) / 1'000'000;  // as energy() of units.hpp
}

}  // namespace tessera
