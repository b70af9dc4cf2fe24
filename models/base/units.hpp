#pragma once
// Strong types for amounts. Two amounts of different kinds neither add nor compare; a plain integer becomes
// an amount only where the source says so.
#include <compare>
#include <cstdint>

#include "base/check.hpp"
#include "base/wide.hpp"

namespace tessera {

/// An amount of one kind: adds and compares with its own kind, scales by plain integers.
/// Sums and products that leave 64 bits are model bugs, never wrap-arounds.
template <class Tag>
class Amount {
 public:
  using Rep = std::uint64_t;
  constexpr Amount() = default;
  constexpr explicit Amount(Rep value) : value_(value) {}

  [[nodiscard]] constexpr Rep value() const { return value_; }
  constexpr auto operator<=>(const Amount&) const = default;

  constexpr Amount& operator+=(Amount other) {
    TESSERA_CHECK(!__builtin_add_overflow(value_, other.value_, &value_), "an amount overflows 64 bits");
    return *this;
  }
  constexpr Amount& operator-=(Amount other) {
    TESSERA_CHECK(other.value_ <= value_, "an amount would become negative");
    value_ -= other.value_;
    return *this;
  }
  friend constexpr Amount operator+(Amount a, Amount b) { return a += b; }
  friend constexpr Amount operator-(Amount a, Amount b) { return a -= b; }
  friend constexpr Amount operator*(Amount a, Rep n) {
    Rep product = 0;
    TESSERA_CHECK(!__builtin_mul_overflow(a.value_, n, &product), "an amount overflows 64 bits");
    return Amount(product);
  }
  friend constexpr Amount operator*(Rep n, Amount a) { return a * n; }
  friend constexpr Rep operator/(Amount a, Amount b) { return a.value_ / b.value_; }
  friend constexpr Amount operator/(Amount a, Rep n) { return Amount(a.value_ / n); }
  friend constexpr Amount operator%(Amount a, Amount b) { return Amount(a.value_ % b.value_); }

  static constexpr Amount max() { return Amount(~Rep{0}); }

 private:
  Rep value_ = 0;
};

using Picoseconds = Amount<struct PicosecondsTag>;  ///< simulated time and durations; 2^64 ps are 213 days
using Bytes = Amount<struct BytesTag>;
using BytesPerSecond = Amount<struct BytesPerSecondTag>;
using Hertz = Amount<struct HertzTag>;
using Rpm = Amount<struct RpmTag>;
using Picojoules = Amount<struct PicojoulesTag>;
using Microwatts = Amount<struct MicrowattsTag>;

inline constexpr std::uint64_t ps_per_second = 1'000'000'000'000;

namespace literals {
constexpr Picoseconds operator""_ps(unsigned long long v) { return Picoseconds(v); }
constexpr Picoseconds operator""_ns(unsigned long long v) { return Picoseconds(v * 1'000); }
constexpr Picoseconds operator""_us(unsigned long long v) { return Picoseconds(v * 1'000'000); }
constexpr Picoseconds operator""_ms(unsigned long long v) { return Picoseconds(v * 1'000'000'000); }
constexpr Picoseconds operator""_s(unsigned long long v) { return Picoseconds(v * ps_per_second); }
constexpr Bytes operator""_B(unsigned long long v) { return Bytes(v); }
constexpr Bytes operator""_KiB(unsigned long long v) { return Bytes(v << 10); }
constexpr Bytes operator""_MiB(unsigned long long v) { return Bytes(v << 20); }
constexpr Bytes operator""_GiB(unsigned long long v) { return Bytes(v << 30); }
}  // namespace literals

/// numerator * a / b in 128 bits, rounded to nearest: the one place where a rate becomes a time.
constexpr std::uint64_t scale_rounded(std::uint64_t value, std::uint64_t numerator, std::uint64_t denominator) {
  const Wide wide = wide_product(value, numerator) + denominator / 2;
  return static_cast<std::uint64_t>(wide / denominator);
}

/// Time that `amount` bytes take at `rate`; rate must not be 0.
constexpr Picoseconds transfer_time(Bytes amount, BytesPerSecond rate) {
  return Picoseconds(scale_rounded(amount.value(), ps_per_second, rate.value()));
}

/// Duration of one period of `frequency`, which must not be 0.
constexpr Picoseconds period(Hertz frequency) { return Picoseconds(scale_rounded(1, ps_per_second, frequency.value())); }

/// Duration of one revolution, rounded to a picosecond.
constexpr Picoseconds revolution(Rpm speed) { return Picoseconds(scale_rounded(60, ps_per_second, speed.value())); }

/// Energy that `power` spends in `time`.
constexpr Picojoules energy(Microwatts power, Picoseconds time) {
  return Picojoules(scale_rounded(time.value(), power.value(), 1'000'000));  // 1 uW for 1 us is 1 pJ
}

}  // namespace tessera
