#pragma once
// Power cuts at every instant of a short scenario.
#include <catch2/catch.hpp>

#include "support/firmware_bench.hpp"

namespace tessera::test {

/// Lets a new drive `begin` something, cuts the power after each possible number of actions, checks the content, lets the drive `go_on`,
/// and cuts again. Gives how many instants were tried.
template <class Drive, class Setup, class Begin, class GoOn>
std::uint64_t cut_everywhere(const Setup& setup, Begin begin, GoOn go_on) {
  for (std::uint64_t actions = 0;; ++actions) {
    Drive drive(setup);
    begin(drive);
    const bool cut = drive.bench().cut_after_actions(actions);
    INFO("cut after " << actions << " actions");
    REQUIRE(drive.bench().boot_status() == Status::ok);
    drive.check_content();
    if (!cut) return actions;
    go_on(drive);
    drive.check_content();
    drive.cut_now();
    drive.check_content();
  }
}

}  // namespace tessera::test
