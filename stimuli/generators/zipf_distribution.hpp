#pragma once
// Zipf's law over very many items at a constant cost a draw.
#include <cstdint>

#include "base/random.hpp"

namespace tessera {

/// Ranks 1 .. items with probabilities proportional to rank^-exponent, exactly. Rejection-inversion: W. Hörmann and
/// G. Derflinger, "Rejection-inversion to generate variates from monotone discrete distributions", ACM TOMACS 6(3), 1996.
class ZipfDistribution {
 public:
  /// `items` 1 .. 10^10; `exponent` 0 (uniform) .. 10.
  ZipfDistribution(std::uint64_t items, double exponent);
  [[nodiscard]] std::uint64_t operator()(RandomStream& random) const;

 private:
  [[nodiscard]] double density(double x) const;   // x^-exponent
  [[nodiscard]] double integral(double x) const;  // of the density from 1 to x
  [[nodiscard]] double inverse_integral(double y) const;

  std::uint64_t items_;
  double exponent_;
  double integral_first_;  // the area is drawn from (integral_first_, integral_last_)
  double integral_last_;
  double squeeze_;  // a rank at most this far above its x needs no test
};

}  // namespace tessera
