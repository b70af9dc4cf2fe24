#include "base/error.hpp"

#include <catch2/catch.hpp>

using namespace tessera;

TEST_CASE("an unknown name is answered with the nearest known one") {
  CHECK(unknown_name("layer", "imr-rwm", {"cmr", "imr-rmw", "mu-rmw"}) ==
        "unknown layer 'imr-rwm'; did you mean 'imr-rmw'? known: cmr, imr-rmw, mu-rmw");
  CHECK(nearest_name("seek_curv", {"skew", "seek_curve"}) == "seek_curve");
  CHECK(nearest_name("erase", {"dies", "erase_power"}) == "erase_power");  // begun, though further away
  CHECK(nearest_name("er", {"dies", "erase_power"}) == "dies");
  CHECK(nearest_name("x", {}).empty());
}

TEST_CASE("an input error names file and line") {
  CHECK(std::string(input_error("a.csv", 7, "expected 7 fields").what()) == "a.csv:7: expected 7 fields");
  CHECK(std::string(input_error("a.csv", 0, "is empty").what()) == "a.csv: is empty");
}
