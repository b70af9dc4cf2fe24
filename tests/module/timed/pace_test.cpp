// Simulated time next to the clock on the wall. Only lower bounds: how slow a machine is says nothing.
#include <catch2/catch.hpp>
#include <chrono>
#include <systemc>

#include "base/error.hpp"
#include "base/pace_module.hpp"

using namespace tessera;

TEST_CASE("a paced simulation takes at least the time that its pace says") {
  PaceModule pace("pace", 2.0);
  const auto begin = std::chrono::steady_clock::now();
  sc_core::sc_start(sc_core::sc_time(40, sc_core::SC_MS));
  CHECK(std::chrono::steady_clock::now() - begin >= std::chrono::milliseconds(18));  // less than a slice is left
}

TEST_CASE("a pace of nothing or less is refused") {
  CHECK_THROWS_AS(PaceModule("none", 0.0), InputError);
  CHECK_THROWS_AS(PaceModule("backwards", -1.0), InputError);
}
