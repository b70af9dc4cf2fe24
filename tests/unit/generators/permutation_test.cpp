#include "stimuli/generators/permutation.hpp"

#include <catch2/catch.hpp>
#include <set>

using namespace tessera;

TEST_CASE("a permutation is a bijection of any size") {
  const std::uint64_t size = GENERATE(1, 2, 3, 4, 5, 63, 64, 65, 1000, 4096);
  RandomStream random(size, "permutation");
  const Permutation permutation(size, random);
  std::set<std::uint64_t> images;
  for (std::uint64_t i = 0; i < size; ++i) {
    REQUIRE(permutation(i) < size);
    images.insert(permutation(i));
  }
  CHECK(images.size() == size);
}

TEST_CASE("a permutation scatters: few neighbours stay neighbours, and another seed gives another one") {
  RandomStream one(1, "permutation");
  RandomStream two(2, "permutation");
  constexpr std::uint64_t size = 1'000'000'007;
  const Permutation a(size, one);
  const Permutation b(size, two);
  int near = 0;
  int equal = 0;
  for (std::uint64_t i = 0; i < 10'000; ++i) {
    const std::uint64_t step = a(i) > a(i + 1) ? a(i) - a(i + 1) : a(i + 1) - a(i);
    near += step < size / 1000 ? 1 : 0;
    equal += a(i) == b(i) ? 1 : 0;
  }
  CHECK(near < 20 + 5 * 5);  // a random pair is that near with probability 1/500: 20 of 10,000, deviation 4.5
  CHECK(equal == 0);
}
