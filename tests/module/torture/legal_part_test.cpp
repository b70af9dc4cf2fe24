#include "platforms/torture/legal_part.hpp"

#include <catch2/catch.hpp>

#include <numeric>

#include "base/random.hpp"

using namespace tessera;

namespace {

using Numbers = std::vector<int>;

Numbers up_to(int count) {
  Numbers numbers(static_cast<std::size_t>(count));
  std::iota(numbers.begin(), numbers.end(), 0);
  return numbers;
}

bool has(const Numbers& numbers, int number) { return std::ranges::find(numbers, number) != numbers.end(); }

}  // namespace

TEST_CASE("what is accepted as a whole is asked for once, and what is refused alone is left out after a few questions") {
  int asked = 0;
  CHECK(legal_part<int>(up_to(32), [&](const Numbers&) { return ++asked != 0; }) == up_to(32));
  CHECK(asked == 1);
  for (int bad = 0; bad < 32; ++bad) {
    asked = 0;
    const Numbers kept = legal_part<int>(up_to(32), [&](const Numbers& some) { return ++asked != 0 && !has(some, bad); });
    CHECK(kept.size() == 31);
    CHECK_FALSE(has(kept, bad));
    CHECK(asked <= 11);
  }
}

TEST_CASE("of two that exclude each other the first is kept, and nothing that is left out would fit") {
  RandomStream random(1, "exclusions");
  for (int round = 0; round < 200; ++round) {
    std::vector<std::pair<int, int>> exclusions;
    for (int i = 0; i < 6; ++i) exclusions.emplace_back(random.below(24), random.below(24));  // a number may exclude itself
    const auto takes = [&](const Numbers& some) {
      return std::ranges::none_of(exclusions, [&](const auto& both) { return has(some, both.first) && has(some, both.second); });
    };
    const Numbers kept = legal_part<int>(up_to(24), takes);
    REQUIRE(takes(kept));
    Numbers plain;  // one after another
    for (const int number : up_to(24)) {
      plain.push_back(number);
      if (!takes(plain)) plain.pop_back();
    }
    REQUIRE(kept == plain);
  }
}
