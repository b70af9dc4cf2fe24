// Restarts of the firmware of layers with flash: a page that the NAND has begun to program is programmed, a block erased.
#include <catch2/catch.hpp>

#include "random_restarts.hpp"
#include "unit/flash/flash_drive.hpp"
#include "unit/mu_rmw/mu_rmw_drive.hpp"
#include "unit/sblock/sblock_drive.hpp"
#include "unit/wave/hwsr_drive.hpp"

using namespace tessera;
using namespace tessera::test;

TEST_CASE("restart: flash caches in front of bands lose nothing") {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    CAPTURE(seed);
    SkylightDrive skylight{SkylightSetup()};
    random_restarts(skylight, seed);
    PoreDrive pore{PoreSetup()};
    random_restarts(pore, seed);
    MuRmwDrive mu_rmw{MuRmwSetup()};
    random_restarts(mu_rmw, seed);
  }
}

TEST_CASE("restart: write buffers in front of regions lose nothing, dumped or journalled") {
  for (const BufferDurability durability : {BufferDurability::plp, BufferDurability::journal}) {
    CAPTURE(static_cast<int>(durability));
    SblockSetup sblock;
    sblock.layer.caches.durability = durability;
    SblockDrive sblock_drive(sblock);
    random_restarts(sblock_drive, 1);
    HwsrSetup hwsr;
    hwsr.layer.caches.durability = durability;
    HwsrDrive hwsr_drive(hwsr);
    random_restarts(hwsr_drive, 2);
  }
}

TEST_CASE("restart: an image that is dumped at a power cut is as good after a restart") {
  HwsrSetup setup;
  setup.layer.caches.rewrite_guard = RewriteGuard::dump;
  HwsrDrive drive(setup);
  random_restarts(drive, 1);
}
