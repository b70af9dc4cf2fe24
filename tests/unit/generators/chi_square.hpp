#pragma once
// Goodness of fit. With k degrees of freedom chi-square has mean k and standard deviation sqrt(2k); the seeds of the tests are
// fixed, so a bound of mean + 5 deviations fails for wrong probabilities and never by chance.
#include <cmath>
#include <cstdint>
#include <vector>

namespace tessera::test {

/// Whether `counts` fit `probabilities` (which sum to 1).
inline bool fits(const std::vector<std::uint64_t>& counts, const std::vector<double>& probabilities) {
  double total = 0;
  for (const auto count : counts) total += static_cast<double>(count);
  double chi_square = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const double expected = total * probabilities[i];
    chi_square += (static_cast<double>(counts[i]) - expected) * (static_cast<double>(counts[i]) - expected) / expected;
  }
  const double freedom = static_cast<double>(counts.size()) - 1;
  return chi_square < freedom + 5 * std::sqrt(2 * freedom);
}

}  // namespace tessera::test
