// A flash cache in front of bands that is as small as the layer takes: every page dirty, every write waits for a merge.
#include <catch2/catch.hpp>

#include "firmware/layers/layer_factories.hpp"
#include "support/crowd.hpp"
#include "unit/flash/flash_drive.hpp"
#include "unit/mu_rmw/mu_rmw_drive.hpp"

using namespace tessera;
using namespace tessera::test;

namespace {

/// The fewest blocks that the layer does not refuse.
std::uint64_t fewest_blocks(const LayerFactory& factory, std::uint32_t pages_per_block, std::uint32_t oob_bytes) {
  std::uint64_t blocks = 1;
  while (!factory.check_flash({blocks, pages_per_block, oob_bytes}).empty()) ++blocks;
  return blocks;
}

template <class Drive, class Setup>
void withstand_in_flash(const Setup& setup) {
  CAPTURE(setup.bench.nand->blocks, setup.bench.nand->pages_per_block);
  Drive everywhere(setup);
  withstand(everywhere, {.longest = 20});
  Drive hot(setup);
  withstand(hot, {.sectors = 9, .longest = 9});
}

}  // namespace

TEST_CASE("liveness: a flash of one block, or as few as the layer takes, under every tag") {
  for (const std::uint32_t pages : {1, 2, 4}) {
    SkylightSetup skylight;
    skylight.bench.nand->pages_per_block = pages;
    skylight.bench.nand->blocks = fewest_blocks(*make_skylight_flash_factory(), pages, 64);
    withstand_in_flash<SkylightDrive>(skylight);
    PoreSetup pore;
    pore.bench.nand->pages_per_block = pages;
    pore.bench.nand->blocks = fewest_blocks(*make_pore_factory(), pages, 64);
    withstand_in_flash<PoreDrive>(pore);
  }
}

TEST_CASE("liveness: a reclaim that starts while another is under way, in the smallest flash of mu-rmw") {
  for (const std::uint32_t pages : {2, 4}) {
    MuRmwSetup setup;
    setup.bench.nand->pages_per_block = pages;
    setup.bench.nand->blocks = fewest_blocks(*make_mu_rmw_factory(), pages, 512);
    withstand_in_flash<MuRmwDrive>(setup);
  }
}
