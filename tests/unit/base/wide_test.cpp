// 128-bit arithmetic in words: against the compiler's own.
#include <catch2/catch.hpp>

#include "base/random.hpp"
#include "base/wide.hpp"

using namespace tessera;

namespace {

/// Small, large, and close to the ends of halves and words in turn.
std::uint64_t any_number(RandomStream& random) {
  const std::uint64_t near = random.below(4);
  switch (random.below(4)) {
    case 0: return near;
    case 1: return ~std::uint64_t{0} - near;
    case 2: return (std::uint64_t{1} << 32) - 2 + near;
    default: return random() >> random.below(64);
  }
}

Wide as_wide(const WordPair& pair) { return Wide{pair.high()} << 64 | static_cast<std::uint64_t>(pair); }

}  // namespace

TEST_CASE("products, sums, quotients and order of word pairs are those of 128-bit integers") {
  RandomStream random(1, "word pairs");
  for (int i = 0; i < 20'000; ++i) {
    const std::uint64_t a = any_number(random);
    const std::uint64_t b = any_number(random);
    const std::uint64_t c = any_number(random);
    const std::uint64_t divisor = any_number(random) | 1;
    CAPTURE(a, b, c, divisor);
    const WordPair product = WordPair::product(a, b);
    const Wide wide = wide_product(a, b);
    REQUIRE(as_wide(product) == wide);
    REQUIRE(product.high() == high_word(wide));
    REQUIRE(as_wide(product + c) == wide + c);
    REQUIRE(as_wide(product + WordPair::product(b, c)) == wide + wide_product(b, c));
    REQUIRE(as_wide(product / divisor) == wide / divisor);
    REQUIRE((product < WordPair::product(b, c)) == (wide < wide_product(b, c)));
    REQUIRE(product == product);
  }
}

TEST_CASE("a word pair becomes the double that is nearest to it") {
  RandomStream random(2, "word pairs");
  for (int i = 0; i < 20'000; ++i) {
    const std::uint64_t high = any_number(random);
    const std::uint64_t low = any_number(random);
    CAPTURE(high, low);
    REQUIRE(static_cast<double>(WordPair(high, low)) == static_cast<double>(Wide{high} << 64 | low));
  }
  // Half-way between 2^116 and the next double 2^116 + 2^64, which goes to the even one, and one more, which goes up.
  const std::uint64_t odd_half = std::uint64_t{1} << 63;
  CHECK(static_cast<double>(WordPair(std::uint64_t{1} << 52, odd_half)) == 0x1p116);
  CHECK(static_cast<double>(WordPair(std::uint64_t{1} << 52, odd_half + 1)) == 0x1p116 + 0x1p64);
}
