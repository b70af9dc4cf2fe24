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

TEST_CASE("program name: a message of a part is passed on without the name in front of it, whichever it has") {
  CHECK(without_program_name("tessera-sim: no flash") == "no flash");
  CHECK(without_program_name("tessera: no flash") == "no flash");
  CHECK(without_program_name("tessera run: no input") == "tessera run: no input");
  CHECK(without_program_name("no flash: tessera: ") == "no flash: tessera: ");
}
