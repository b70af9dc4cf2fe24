#include "stimuli/generators/zipf_distribution.hpp"

#include <algorithm>
#include <cmath>

#include "base/check.hpp"

namespace tessera {

namespace {

/// (e^x - 1) / x and ln(1 + x) / x, also where x is so small that the quotient would lose its digits.
double expm1_over(double x) { return std::abs(x) > 1e-8 ? std::expm1(x) / x : 1 + x / 2 * (1 + x / 3); }
double log1p_over(double x) { return std::abs(x) > 1e-8 ? std::log1p(x) / x : 1 - x * (0.5 - x / 3); }

}  // namespace

ZipfDistribution::ZipfDistribution(std::uint64_t items, double exponent) : items_(items), exponent_(exponent) {
  TESSERA_CHECK(items >= 1 && items <= 10'000'000'000ULL && exponent >= 0 && exponent <= 10, "Zipf parameters out of range");
  integral_first_ = integral(1.5) - 1;
  integral_last_ = integral(static_cast<double>(items) + 0.5);
  squeeze_ = 2 - inverse_integral(integral(2.5) - density(2));
}

double ZipfDistribution::density(double x) const { return std::exp(-exponent_ * std::log(x)); }

double ZipfDistribution::integral(double x) const {
  const double log_x = std::log(x);
  return expm1_over((1 - exponent_) * log_x) * log_x;
}

double ZipfDistribution::inverse_integral(double y) const {
  const double t = std::max(-1.0, y * (1 - exponent_));  // below -1 only by rounding
  return std::exp(log1p_over(t) * y);
}

std::uint64_t ZipfDistribution::operator()(RandomStream& random) const {
  const auto last = static_cast<double>(items_);
  for (;;) {
    const double area = integral_last_ + random.unit() * (integral_first_ - integral_last_);
    const double x = inverse_integral(area);
    const double rank = std::clamp(std::floor(x + 0.5), 1.0, last);
    if (rank - x <= squeeze_ || area >= integral(rank + 0.5) - density(rank)) return static_cast<std::uint64_t>(rank);
  }
}

}  // namespace tessera
