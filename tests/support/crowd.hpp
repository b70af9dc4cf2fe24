#pragma once
// Every tag in use, all the time, on addresses that hurt: for tests that a drive goes on whatever is full. The watchdog of the bench ends
// a test whose drive leaves a request alone for two simulated minutes.
#include "support/random_histories.hpp"

namespace tessera::test {

struct Crowd {
  std::uint64_t sectors = ~std::uint64_t{0};  ///< of the user space that it writes; the smaller, the hotter each
  std::uint32_t longest = 32;                 ///< sectors of a write, at most
  std::uint32_t requests = 400;
};

/// Writes of all lengths and alignments among a few reads, TRIMs, FUA and FLUSHes, as many at once as the drive has tags; then the drive
/// must come to rest, and holds what was written.
template <class Drive>
void withstand(Drive& drive, const Crowd& crowd, std::uint64_t seed = 1) {
  RandomStream random(seed, "test.crowd");
  const std::uint64_t blocks = std::min(crowd.sectors, drive.user_sectors()) * blocks_per_sector;
  for (std::uint32_t request = 0; request < crowd.requests; ++request) {
    const std::uint64_t first = random.below(blocks);
    const std::uint64_t longest = std::min<std::uint64_t>(blocks - first, std::uint64_t{crowd.longest} * blocks_per_sector);
    submit_random_at(drive.bench(), random, first, pick(random, 1, longest), 3);
  }
  drive.bench().run_until_all_done();
  drive.bench().run_until_idle(3600_s);
  REQUIRE(drive.bench().controller().idle());
  drive.check_content();
}

}  // namespace tessera::test
