// Histories of a host that writes in order and anywhere, resets and finishes, with power cuts between.
#include "host_aware_drive.hpp"
#include "support/zone_history.hpp"

using namespace tessera;
using namespace tessera::test;

TEST_CASE("histories of a host that writes anywhere lose nothing, and find the pointers where they may be") {
  const std::uint64_t seed = GENERATE(range(1, 31));
  HostAwareSetup setup;
  setup.prefilled = seed % 3 * 120;
  setup.layer.optimal_open = 1 + static_cast<std::uint32_t>(seed % 4);
  if (seed % 2 == 0) setup.layer.cache.merge_step = Picoseconds(20'000'000'000);
  if (seed % 5 == 0) setup.layer.cache.head_width = 3;
  if (seed % 7 == 0) setup.layer.cache.stay_mark = 50;
  if (seed % 3 == 0) {
    setup.layer.cache.idle_cleaning = media_cache::IdleCleaning::on;
    setup.layer.cache.idle_after = Picoseconds(5'000'000'000);
  }
  HostAwareDrive drive(setup);
  ZonedWorkload host(
      seed,
      {.blocks = drive.user_sectors() * blocks_per_sector, .zone_blocks = drive.layer().zone_blocks(), .largest = 64, .anywhere = true});
  play_zone_history(drive, host, RandomStream(seed, "host-aware histories"));
}
