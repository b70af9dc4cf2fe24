#pragma once
// Integers of 128 bits for products and sums of 64-bit numbers: the compiler's own where it has them, two words elsewhere (32-bit cores).
#include <bit>
#include <compare>
#include <cstdint>

namespace tessera {

/// An integer of 128 bits in two words, without any of the compiler's.
class WordPair {
 public:
  constexpr WordPair() = default;
  constexpr WordPair(std::uint64_t value) : low_(value) {}
  constexpr WordPair(std::uint64_t high, std::uint64_t low) : high_(high), low_(low) {}

  /// Of halves of 32 bits, as by hand.
  [[nodiscard]] static constexpr WordPair product(std::uint64_t a, std::uint64_t b) {
    const std::uint64_t low = half(a) * half(b);
    const std::uint64_t middle = (a >> 32) * half(b) + (low >> 32);
    const std::uint64_t cross = half(a) * (b >> 32) + half(middle);
    return {(a >> 32) * (b >> 32) + (middle >> 32) + (cross >> 32), cross << 32 | half(low)};
  }

  constexpr WordPair& operator+=(WordPair other) {
    low_ += other.low_;
    high_ += other.high_ + (low_ < other.low_ ? 1 : 0);
    return *this;
  }
  friend constexpr WordPair operator+(WordPair a, WordPair b) { return a += b; }
  /// Bit by bit; `divisor` must not be 0.
  friend constexpr WordPair operator/(WordPair dividend, std::uint64_t divisor) {
    WordPair quotient;
    std::uint64_t rest = 0;
    for (int bit = 127; bit >= 0; --bit) {
      const bool carries = rest >> 63 != 0;
      rest = rest << 1 | (bit >= 64 ? dividend.high_ >> (bit - 64) : dividend.low_ >> bit) % 2;
      if (!carries && rest < divisor) continue;
      rest -= divisor;
      (bit >= 64 ? quotient.high_ : quotient.low_) |= std::uint64_t{1} << bit % 64;
    }
    return quotient;
  }
  constexpr auto operator<=>(const WordPair&) const = default;

  [[nodiscard]] constexpr std::uint64_t high() const { return high_; }
  [[nodiscard]] constexpr explicit operator std::uint64_t() const { return low_; }
  /// Rounded once: the upper 64 bits that are not zero, the lowest of them set where anything behind them is.
  [[nodiscard]] constexpr explicit operator double() const {
    if (high_ == 0) return static_cast<double>(low_);
    const int shift = 64 - std::countl_zero(high_);
    const std::uint64_t upper = shift == 64 ? high_ : high_ << (64 - shift) | low_ >> shift;
    const std::uint64_t lost = shift == 64 ? low_ : low_ << (64 - shift);
    return static_cast<double>(upper | (lost != 0 ? 1 : 0)) * static_cast<double>(std::uint64_t{1} << (shift - 1)) * 2;
  }

 private:
  static constexpr std::uint64_t half(std::uint64_t word) { return static_cast<std::uint32_t>(word); }

  std::uint64_t high_ = 0;
  std::uint64_t low_ = 0;
};

#ifdef __SIZEOF_INT128__
using Wide = unsigned __int128;
[[nodiscard]] constexpr Wide wide_product(std::uint64_t a, std::uint64_t b) { return static_cast<Wide>(a) * b; }
[[nodiscard]] constexpr std::uint64_t high_word(Wide value) { return static_cast<std::uint64_t>(value >> 64); }
#else
using Wide = WordPair;
[[nodiscard]] constexpr Wide wide_product(std::uint64_t a, std::uint64_t b) { return WordPair::product(a, b); }
[[nodiscard]] constexpr std::uint64_t high_word(Wide value) { return value.high(); }
#endif

}  // namespace tessera
