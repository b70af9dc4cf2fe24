#include <catch2/catch.hpp>

#include "chi_square.hpp"
#include "stimuli/generators/zipf_distribution.hpp"

using namespace tessera;

TEST_CASE("Zipf ranks have probabilities proportional to rank^-exponent") {
  const double exponent = GENERATE(0.0, 0.5, 0.9999999, 1.0, 1.2, 2.5);
  constexpr std::uint64_t items = 50;
  std::vector<double> probabilities;
  double sum = 0;
  for (std::uint64_t rank = 1; rank <= items; ++rank) {
    probabilities.push_back(std::pow(static_cast<double>(rank), -exponent));
    sum += probabilities.back();
  }
  for (double& p : probabilities) p /= sum;

  const ZipfDistribution zipf(items, exponent);
  RandomStream random(1, "zipf");
  std::vector<std::uint64_t> counts(items);
  for (int i = 0; i < 300'000; ++i) ++counts.at(zipf(random) - 1);
  CHECK(test::fits(counts, probabilities));
  std::rotate(probabilities.begin(), probabilities.begin() + 1, probabilities.end());
  if (exponent > 0) CHECK_FALSE(test::fits(counts, probabilities));  // the test can tell
}

TEST_CASE("Zipf over ten billion items keeps its head and reaches its tail") {
  // H(10^10, 1) = ln(10^10) + Euler's constant to 10 digits.
  const double harmonic = std::log(1e10) + 0.57721566490;
  const ZipfDistribution zipf(10'000'000'000ULL, 1.0);
  RandomStream random(2, "zipf");
  std::vector<std::uint64_t> counts(3);  // rank 1; 2 to 10^5; the rest
  for (int i = 0; i < 200'000; ++i) {
    const std::uint64_t rank = zipf(random);
    REQUIRE((rank >= 1 && rank <= 10'000'000'000ULL));
    ++counts[rank == 1 ? 0 : rank <= 100'000 ? 1 : 2];
  }
  const double head = (std::log(1e5) + 0.57721566490 + 0.5e-5) / harmonic;
  CHECK(test::fits(counts, {1 / harmonic, head - 1 / harmonic, 1 - head}));
}

TEST_CASE("one item is always drawn") {
  const ZipfDistribution zipf(1, 1.3);
  RandomStream random(3, "zipf");
  for (int i = 0; i < 1000; ++i) REQUIRE(zipf(random) == 1);
}
