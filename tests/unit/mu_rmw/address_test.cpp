// Section III-C's worked numbers: LSN -> LBN, BO, PPN_INDEX, SMT_OFF.
#include <catch2/catch.hpp>

#include "firmware/layers/mu_rmw/address_split.hpp"
#include "firmware/layers/mu_rmw/concentrated_map.hpp"

using namespace tessera;
using namespace tessera::mu_rmw;

TEST_CASE("an address splits as in figure 5") {
  constexpr AddressSplit split(10240, 64);
  CHECK(split.n() == 160);
  const SplitAddress c = split(LogicalSector(24614));
  CHECK(c.lbn == 2);
  CHECK(c.idx == 64);
  CHECK(c.off == 38);
  const SplitAddress b = split(LogicalSector(24636));
  CHECK(b.lbn == 2);
  CHECK(b.idx == 64);
  CHECK(b.off == 60);
  CHECK(split.sector(b) == LogicalSector(24636));
}

TEST_CASE("the last sub-table of a band is short where Q does not divide P") {
  constexpr AddressSplit split(10, 4);
  CHECK(split.n() == 3);
  CHECK(split.sectors_of(1) == 4);
  CHECK(split.sectors_of(2) == 2);
  CHECK(split(LogicalSector(9)).idx == 2);
  CHECK(split(LogicalSector(10)).lbn == 1);
  CHECK(split.group(split(LogicalSector(10))) == 3);
}

TEST_CASE("every sector is the inverse of its split") {
  constexpr AddressSplit split(30, 8);
  for (std::uint64_t sector = 0; sector < 200; ++sector) CHECK(split.sector(split(LogicalSector(sector))).value() == sector);
}

TEST_CASE("memory is what the paper's formula gives, not its 69 KB") {
  CHECK(ConcentratedMap::paper_bytes(256, 160, 640) == Bytes(168'960));
  CHECK(Bytes(10240ULL * 256 * 4) == Bytes(10'485'760));  // the sector table of the schemes that it compares with
}
