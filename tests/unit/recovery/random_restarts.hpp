#pragma once
// Restarts of the firmware without a power cut, at random instants and with power cuts among them: what the devices have begun ends,
// nothing that was acknowledged is lost.
#include "support/random_histories.hpp"

namespace tessera::test {

template <class Drive>
void random_restarts(Drive& drive, std::uint64_t seed, const RandomTraffic& traffic = {}) {
  RandomStream random(seed, "test.restarts");
  for (std::uint32_t restart = 0; restart < traffic.cuts; ++restart) {
    for (std::uint64_t requests = random.below(traffic.requests); requests > 0; --requests) {
      submit_random(drive, random, traffic);
      if (random.below(3) == 0) drive.bench().run_until_all_done();
    }
    const std::uint64_t actions = random.below(traffic.actions);
    switch (random.below(4)) {
      case 0: drive.bench().cut_after_actions(actions); break;
      case 1: drive.bench().cut_while_stopping(random.below(4)); break;
      default: drive.bench().restart_after_actions(actions);
    }
    REQUIRE(drive.bench().boot_status() == Status::ok);
    drive.check_content();
  }
}

}  // namespace tessera::test
