// The choice of open regions, by hand and against the score as a fraction.
#include <catch2/catch.hpp>

#include <vector>

#include "base/random.hpp"
#include "firmware/layers/pore/pore_config.hpp"
#include "firmware/layers/pore/pore_open_regions.hpp"

using namespace tessera;
using namespace tessera::pore;

namespace {

std::vector<std::uint32_t> regions(std::span<const Candidate> candidates) {
  std::vector<std::uint32_t> found;
  for (const Candidate& candidate : candidates) found.push_back(candidate.region);
  return found;
}

using Regions = std::vector<std::uint32_t>;

}  // namespace

TEST_CASE("without heat regions rank by their pages, and a share of all of them is open") {
  std::vector<Candidate> candidates{{0, 6, 0}, {1, 3, 0}, {2, 2, 0}, {3, 1, 0}};
  rank(candidates);
  CHECK(regions(open_share(candidates, 4, 0.5)) == Regions{0, 1});
  CHECK(regions(open_share(candidates, 4, 0)) == Regions{0});
  CHECK(regions(open_share(candidates, 400, 0.5)) == Regions{0, 1, 2, 3});
}

TEST_CASE("81 of 256 bands are open by default") {
  std::vector<Candidate> candidates(256, Candidate{0, 1, 0});
  CHECK(open_share(candidates, 256, PoreConfig().open_frac).size() == 81);
}

TEST_CASE("zones are opened until they hold a period's pages") {
  const std::vector<Candidate> ranked{{4, 6, 0}, {1, 3, 0}, {2, 2, 0}};
  CHECK(open_pages(ranked, 6).size() == 1);
  CHECK(open_pages(ranked, 7).size() == 2);
  CHECK(open_pages(ranked, 100).size() == 3);
}

TEST_CASE("the ranking is that of the scores, without rounding and without overflow") {
  std::vector<Candidate> candidates{
      {0, 3, 2}, {1, 3, 1}, {2, 6, 8}, {3, 1, 0}, {4, 0xffff'ffff, 0xffff'fffe}, {5, 0xffff'ffff, 0xffff'ffff}};
  rank(candidates);
  // 2^32 - 1; a little less; 9 / 2; 4; 3; 1
  CHECK(regions(candidates) == Regions{4, 5, 1, 2, 0, 3});
}

TEST_CASE("of regions that rank alike the lower numbers are opened first") {
  std::vector<Candidate> candidates{{3, 2, 0}, {1, 2, 0}, {4, 1, 0}, {2, 2, 0}};
  rank(candidates);
  CHECK(regions(candidates) == Regions{1, 2, 3, 4});
}
