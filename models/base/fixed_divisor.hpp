#pragma once
// Division by a number that is fixed at elaboration: a multiplication and a correction, a few cycles instead of tens.
#include <cstdint>

#include "base/wide.hpp"

namespace tessera {

class FixedDivisor {
 public:
  FixedDivisor() = default;
  /// `divisor` must not be 0.
  explicit FixedDivisor(std::uint64_t divisor) : divisor_(divisor), inverse_(~std::uint64_t{0} / divisor) {}

  [[nodiscard]] std::uint64_t divisor() const { return divisor_; }
  [[nodiscard]] std::uint64_t quotient(std::uint64_t x) const {
    // The product with the truncated inverse is less than one below x / divisor: one correction makes it exact.
    const std::uint64_t q = high_word(wide_product(x, inverse_));
    return q + (x - q * divisor_ >= divisor_ ? 1 : 0);
  }
  [[nodiscard]] std::uint64_t remainder(std::uint64_t x) const { return x - quotient(x) * divisor_; }

 private:
  std::uint64_t divisor_ = 1;
  std::uint64_t inverse_ = ~std::uint64_t{0};
};

}  // namespace tessera
