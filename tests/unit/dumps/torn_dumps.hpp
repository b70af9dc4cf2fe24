#pragma once
// Histories of a drive whose dumps fail: what FLUSH or FUA made durable stays, the rest is as it was at some time since, or lost and known
// to be; nothing hangs, and what is written again is there again.
#include "support/unreadable_sectors.hpp"

namespace tessera::test {

/// From now on of three dumps one is whole, one ends anywhere, and one at its first piece or right before its last.
inline void fail_dumps_at_random(FirmwareBench& bench, RandomStream& random) {
  bench.fail_dumps([&random](std::uint64_t pieces) {
    switch (random.below(3)) {
      case 0: return pieces;
      case 1: return random.below(pieces);
      default: return random.below(2) * (pieces - 1);
    }
  });
}

/// Requests, a cut at any instant, and every second time another one in the recovery behind it.
template <class Drive>
void history_with_torn_dumps(Drive& drive, RandomStream& random, const RandomTraffic& traffic = {}) {
  fail_dumps_at_random(drive.bench(), random);
  for (std::uint32_t cut = 0; cut < traffic.cuts; ++cut) {
    for (std::uint64_t requests = random.below(traffic.requests); requests > 0; --requests) {
      submit_random(drive, random, traffic);
      if (random.below(3) == 0) drive.bench().run_until_all_done();
    }
    drive.bench().cut_after_actions(random.below(traffic.actions));
    if (random.below(2) == 0) drive.bench().cut_twice(random.below(60));
    REQUIRE(drive.bench().boot_status() == Status::ok);
    drive.check_content();
  }
}

/// Writes the whole drive, so that nothing may be lost any more, and looks.
template <class Drive>
void write_everything_again(Drive& drive) {
  constexpr std::uint64_t at_once = 16;
  for (std::uint64_t sector = 0; sector < drive.user_sectors(); sector += at_once) {
    const std::uint64_t count = std::min(at_once, drive.user_sectors() - sector);
    REQUIRE(drive.bench().write(sector * blocks_per_sector, static_cast<std::uint32_t>(count * blocks_per_sector)) == Status::ok);
  }
  REQUIRE(drive.bench().flush() == Status::ok);
  REQUIRE_FALSE(drive.bench().scoreboard().exempted({HostBlock(0), static_cast<std::uint32_t>(drive.user_sectors() * blocks_per_sector)}));
  drive.check_content();
}

}  // namespace tessera::test
