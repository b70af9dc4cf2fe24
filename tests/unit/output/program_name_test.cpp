#include "platforms/output/program_name.hpp"

#include <catch2/catch.hpp>

using namespace tessera;

TEST_CASE("program name: commands in a text go under another name, paths and longer words do not") {
  CHECK(commands_under("tessera", "tessera-sim run: no input; 'tessera-sim list drives' shows them, see tessera-sim.") ==
        "tessera run: no input; 'tessera list drives' shows them, see tessera.");
  const std::string kept = "build/release/tessera-sim, tessera-sim.md, my-tessera-sim, tessera-sim_2, tessera-simulator";
  CHECK(commands_under("tessera", kept) == kept);
  CHECK(commands_under("tessera", "").empty());
  CHECK(commands_under("tessera", "tessera-sim") == "tessera");
}
