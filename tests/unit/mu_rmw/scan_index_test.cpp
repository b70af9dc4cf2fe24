// The indexed victim choice against Algorithm 1 taken literally, over random histories of lists.
#include <catch2/catch.hpp>

#include <algorithm>
#include <vector>

#include "base/random.hpp"
#include "firmware/layers/mu_rmw/scan_index.hpp"

using namespace tessera;
using namespace tessera::mu_rmw;

namespace {

using Choice = ScanIndex::Choice;

/// Lines 1-12 as printed, with braces and bound put right, counting what they look at.
Choice scan_literally(const std::vector<std::vector<std::uint32_t>>& lists, const std::vector<bool>& obsolete) {
  Choice choice;
  std::size_t longest = 0;
  for (std::uint32_t lbn = 0; lbn < lists.size(); ++lbn) {
    ++choice.visited;
    for (const std::uint32_t block : lists[lbn]) {
      ++choice.visited;
      if (obsolete[block]) return {Choice::Kind::obsolete_block, lbn, block, choice.visited};
    }
    if (lists[lbn].size() > longest) {
      longest = lists[lbn].size();
      choice.kind = Choice::Kind::band;
      choice.band = lbn;
    }
  }
  return choice;
}

void check_equal(const Choice& indexed, const Choice& literal) {
  REQUIRE(indexed.kind == literal.kind);
  REQUIRE(indexed.visited == literal.visited);
  if (literal.kind != Choice::Kind::nothing) REQUIRE(indexed.band == literal.band);
  if (literal.kind == Choice::Kind::obsolete_block) REQUIRE(indexed.block == literal.block);
}

}  // namespace

TEST_CASE("the indexed victims are those of the literal scan") {
  const std::uint32_t bands = GENERATE(1U, 2U, 5U, 37U);
  constexpr std::uint32_t blocks = 48;
  RandomStream random(bands, "scan index");
  ScanIndex index(bands, blocks);
  std::vector<std::vector<std::uint32_t>> lists(bands);
  std::vector<bool> obsolete(blocks), listed(blocks);
  for (int step = 0; step < 20'000; ++step) {
    const auto block = static_cast<std::uint32_t>(random.below(blocks));
    if (!listed[block]) {
      const auto band = static_cast<std::uint32_t>(std::min(random.below(bands), random.below(bands)));
      lists[band].push_back(block);
      index.append(band, block);
      index.set_worth(band, index.length(band));
      listed[block] = true;
    } else if (random.below(4) == 0) {
      index.mark_obsolete(block);
      obsolete[block] = true;
    } else if (random.below(3) == 0) {
      for (auto& list : lists) std::erase(list, block);
      const std::uint32_t band = index.band_of(block);
      index.remove(block);
      index.set_worth(band, index.length(band));
      listed[block] = obsolete[block] = false;
    }
    check_equal(index.choose(), scan_literally(lists, obsolete));
    for (std::uint32_t band = 0; band < bands; ++band) REQUIRE(index.length(band) == lists[band].size());
  }
}

TEST_CASE("of two bands that are worth the same the lower number is the victim, and one that is worth nothing is none") {
  ScanIndex index(3, 4);
  index.append(2, 0);
  index.append(1, 1);
  CHECK(index.choose().kind == Choice::Kind::nothing);
  index.set_worth(2, 7);
  index.set_worth(1, 7);
  CHECK(index.choose().band == 1);
  index.set_worth(2, std::uint64_t{1} << 33U);
  CHECK(index.choose().band == 2);
}

TEST_CASE("an obsolete block goes before a longer list, the first of its list first") {
  ScanIndex index(2, 5);
  for (const std::uint32_t block : {4U, 3U, 2U}) index.append(1, block);
  index.append(0, 1);
  index.mark_obsolete(2);
  index.mark_obsolete(3);
  const Choice choice = index.choose();
  CHECK(choice.kind == Choice::Kind::obsolete_block);
  CHECK(choice.block == 3);
  CHECK(choice.visited == 5);  // band 0, block 1, band 1, blocks 4 and 3
}

TEST_CASE("with no block listed there is no victim") {
  ScanIndex index(3, 4);
  CHECK(index.choose().kind == Choice::Kind::nothing);
  CHECK(index.choose().visited == 3);
}

TEST_CASE("of the bands of each arm the best is known, and of all of them the best of all") {
  ScanIndex index(4, 4, 2);
  for (const std::uint32_t band : {1U, 3U}) index.set_arm(band, 1);
  for (std::uint32_t band = 0; band < 4; ++band) index.append(band, band);
  for (std::uint32_t band = 0; band < 4; ++band) index.set_worth(band, 10 - (band == 2 ? 0 : 1));
  CHECK(index.choose().band == 2);
  CHECK(index.choose_on(0).band == 2);
  CHECK(index.choose_on(1).band == 1);  // of two alike the lower number
  CHECK(index.best_worth(1) == 9);
  index.set_worth(1, 10);
  CHECK(index.choose().band == 1);  // of two alike on two arms, too
  index.set_worth(1, 0);
  index.set_worth(3, 0);
  CHECK(index.choose_on(1).kind == Choice::Kind::nothing);
  CHECK(index.choose().band == 2);
}
