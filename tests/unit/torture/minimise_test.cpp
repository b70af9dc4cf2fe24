#include "platforms/torture/minimise.hpp"

#include <catch2/catch.hpp>

#include <numeric>

using namespace tessera;

namespace {

bool holds(const std::vector<int>& list, int entry) { return std::find(list.begin(), list.end(), entry) != list.end(); }

std::vector<int> numbers(int count) {
  std::vector<int> list(static_cast<std::size_t>(count));
  std::iota(list.begin(), list.end(), 0);
  return list;
}

}  // namespace

TEST_CASE("a failure that takes three requests far apart is shortened to these, in their order") {
  std::size_t tries = 0;
  const std::function<bool(const std::vector<int>&)> fails = [&](const std::vector<int>& list) {
    ++tries;
    return holds(list, 3) && holds(list, 40) && holds(list, 97);
  };
  CHECK(minimised(numbers(100), fails, 1000) == std::vector<int>{3, 40, 97});
  CHECK(tries < 150);
}

TEST_CASE("what is left fails, however few tries there are") {
  const std::function<bool(const std::vector<int>&)> fails = [](const std::vector<int>& list) { return holds(list, 5) && holds(list, 60); };
  for (const std::size_t tries : {0U, 1U, 4U, 9U}) {
    const std::vector<int> left = minimised(numbers(64), fails, tries);
    CHECK(fails(left));
  }
  CHECK(minimised(numbers(1), std::function<bool(const std::vector<int>&)>([](const auto&) { return true; }), 10).size() == 1);
}
