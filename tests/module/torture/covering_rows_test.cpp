#include "platforms/torture/covering_rows.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <set>

using namespace tessera;

namespace {

using Pairs = std::set<std::pair<std::uint32_t, std::uint32_t>>;

const std::vector<CoveringFactor> few{{3}, {2}, {4, true}, {1, false, true}, {5}, {2}, {3}, {1, false, true}, {2}, {4}, {1, false, true},
                                      {3}};

CoveringRows rows_of(const std::vector<CoveringFactor>& factors, std::uint64_t seed) { return {factors, RandomStream(seed, "rows")}; }

void add(const CoveringRows::Row& row, Pairs& pairs) {
  for (const std::uint32_t one : row)
    for (const std::uint32_t other : row)
      if (one < other) pairs.insert({one, other});
}

Pairs met_by(CoveringRows& rows, std::uint64_t first, std::uint64_t end) {
  Pairs pairs;
  for (std::uint64_t index = first; index < end; ++index) add(rows.row(index), pairs);
  return pairs;
}

/// All that there are.
Pairs all_of(const std::vector<CoveringFactor>& factors) {
  std::vector<std::size_t> factor_of;
  for (std::size_t factor = 0; factor < factors.size(); ++factor) factor_of.insert(factor_of.end(), factors[factor].levels, factor);
  Pairs pairs;
  for (std::uint32_t one = 0; one < factor_of.size(); ++one)
    for (std::uint32_t other = one + 1; other < factor_of.size(); ++other)
      if (factor_of[one] != factor_of[other]) pairs.insert({one, other});
  return pairs;
}

}  // namespace

TEST_CASE("every pair of two factors' levels is met within the rows that are promised, and not one row earlier") {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    CoveringRows rows = rows_of(few, seed);
    const Pairs all = all_of(few);
    REQUIRE(rows.pairs() == all.size());
    const std::uint64_t enough = rows.rows_to_all();
    CHECK(met_by(rows, 0, enough) == all);
    CHECK(met_by(rows, 0, enough - 1) != all);
    CHECK(enough <= 60);  // two factors alone need 20, and a row has 8 or 12 of 12
  }
}

TEST_CASE("a row has one level of a factor, few that are scarce, and 8 to 40 of many factors") {
  const std::vector<CoveringFactor> many(60, CoveringFactor{3});
  for (const std::vector<CoveringFactor>& factors : {few, many}) {
    CoveringRows rows = rows_of(factors, 1);
    std::set<std::size_t> sizes;
    for (std::uint64_t index = 0; index < 200; ++index) {
      const CoveringRows::Row& row = rows.row(index);
      std::set<std::uint32_t> factors_of_row;
      std::uint32_t scarce = 0;
      for (const std::uint32_t item : row) {
        factors_of_row.insert(rows.factor_of(item));
        scarce += factors[rows.factor_of(item)].scarce ? 1 : 0;
      }
      REQUIRE(factors_of_row.size() == row.size());
      REQUIRE(scarce <= CoveringRows::most_scarce);
      sizes.insert(row.size());
    }
    if (factors.size() == 60) CHECK(sizes == std::set<std::size_t>{8, 16, 24, 40});
  }
}

TEST_CASE("pairs with a foremost factor are met first") {
  std::vector<CoveringFactor> factors(60, CoveringFactor{3});
  for (std::size_t i = 0; i < 6; ++i) factors[10 * i].foremost = true;
  CoveringRows rows = rows_of(factors, 5);
  const std::uint64_t enough = rows.rows_to_all();
  std::uint64_t met = 0;
  for (const auto& [one, other] : met_by(rows, 0, enough * 3 / 4)) met += rows.foremost(one) || rows.foremost(other) ? 1 : 0;
  CHECK(met == rows.foremost_pairs());
  CHECK(rows.foremost_pairs() == (18 * 162 + 15 * 9));
}

TEST_CASE("rows are the same for the same seed, in whatever order they are asked for, and others for another") {
  CoveringRows walked = rows_of(few, 3);
  CoveringRows jumped = rows_of(few, 3);
  CoveringRows other = rows_of(few, 4);
  const CoveringRows::Row late = jumped.row(70);
  for (std::uint64_t index = 0; index < 70; ++index) REQUIRE(walked.row(index) == jumped.row(index));
  CHECK(walked.row(70) == late);
  CHECK(met_by(walked, 0, 5) != met_by(other, 0, 5));
}

TEST_CASE("after the last pair the rows begin again, in another order") {
  CoveringRows rows = rows_of(few, 6);
  const std::uint64_t enough = rows.rows_to_all();
  CHECK(met_by(rows, enough, enough + 60) == all_of(few));
  CHECK(rows.row(enough) != rows.row(0));
}
