// A write buffer in front of regions: as small as can be, all of it dirty, each write back inside another's.
#include <catch2/catch.hpp>

#include "support/crowd.hpp"
#include "unit/sblock/sblock_drive.hpp"
#include "unit/wave/hwsr_drive.hpp"

using namespace tessera;
using namespace tessera::test;

TEST_CASE("liveness: a write buffer of two blocks and a read cache of one, in front of S-blocks") {
  for (const BufferDurability durability : {BufferDurability::plp, BufferDurability::journal}) {
    CAPTURE(static_cast<int>(durability));
    SblockSetup setup;
    setup.layer.caches.memory = Bytes(2 * 2 * 4096);
    setup.layer.caches.flash = Bytes(2 * 4096);
    setup.layer.caches.durability = durability;
    SblockDrive drive(setup);
    withstand(drive, {.longest = 20});
    withstand(drive, {.sectors = 9, .longest = 9}, 2);
  }
}

TEST_CASE("liveness: a write buffer of two blocks and a read cache of one, in front of wave regions") {
  for (const BufferDurability durability : {BufferDurability::plp, BufferDurability::journal}) {
    CAPTURE(static_cast<int>(durability));
    HwsrSetup setup;
    setup.buffer_blocks(2);
    setup.cache_blocks(1);
    setup.layer.caches.durability = durability;
    HwsrDrive drive(setup);
    withstand(drive, {.longest = 20});
    withstand(drive, {.sectors = 9, .longest = 9}, 2);
  }
}
