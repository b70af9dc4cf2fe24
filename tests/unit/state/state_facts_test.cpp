#include "platforms/state/state_facts.hpp"

#include <catch2/catch.hpp>

using namespace tessera;

namespace {

StateFacts facts(const std::string& layer = "fluid") {
  DriveConfig config;
  config.layer = layer;
  StateFacts made = StateFacts::of(config);
  made.content = ContentMode::tags;
  made.checked = true;
  return made;
}

/// With one parameter at another value.
StateFacts facts_with(const std::string& path, const std::string& value) {
  StateFacts made = facts();
  for (auto& [name, held] : made.parameters)
    if (name == path) held = value;
  return made;
}

}  // namespace

TEST_CASE("a state fits a run of the same drive, whatever its seed, its length and the parameters of other layers") {
  StateFacts run = facts();
  run.seed = 7;
  run.requests = 3;
  CHECK(facts().misfit(run).empty());
  for (const auto& [path, value] : run.parameters) CHECK((!path.starts_with("layers.") || path.starts_with("layers.fluid.")));
  CHECK(run.parameters.size() > 200);
}

TEST_CASE("what differs is named with both values") {
  CHECK(facts().misfit(facts_with("dram.capacity", "\"1 MiB\"")) ==
        "the state is of another drive: dram.capacity is \"256 MiB\" there and \"1 MiB\" here");
  CHECK(facts().misfit(facts_with("layers.fluid.map", "\"paged\"")).starts_with("the state is of another drive: layers.fluid.map is "));
  CHECK(facts().misfit(facts("amphisbaena")) == "the state is of another drive: the layer is fluid there and amphisbaena here");
  StateFacts other = facts();
  other.version = "9.9.9";
  CHECK(facts().misfit(other).starts_with("the state was saved by tessera-sim "));
  StateFacts library = facts();
  library.firmware = "0123";
  CHECK(facts().misfit(library) ==
        "the state was saved by other firmware: layer fluid is the simulator's own there and of the library or image with SHA-256 0123 "
        "here; load it with the firmware that saved it, or with --any-firmware where both keep their data in the same way");
  CHECK(facts().misfit(library, true).empty());
}

TEST_CASE("content and checks must be those that the state was saved with, a run that checks less may load it") {
  StateFacts without = facts();
  without.content = ContentMode::none;
  without.checked = false;
  CHECK(without.misfit(facts()) == "the state was saved with --content none and is to be loaded with --content tags (--check keeps tags)");
  StateFacts unchecked = facts();
  unchecked.checked = false;
  CHECK(unchecked.misfit(facts()) == "the state does not say what was written, which --check needs: save it from a run with --check");
  CHECK(facts().misfit(unchecked).empty());
}

TEST_CASE("facts come back from a stream") {
  StateWriter out;
  StateFacts made = facts();
  made.drive = "common";
  made.prefill_percent = 100;
  made.seed = 5;
  made.requests = 12345;
  made.save(out);
  StateReader in(out.state(), "f");
  const StateFacts back = StateFacts::load(in);
  CHECK(back.parameters == made.parameters);
  CHECK(back.misfit(made).empty());
  CHECK(back.drive == "common");
  CHECK(back.prefill_percent == 100);
  CHECK(back.seed == 5);
  CHECK(back.requests == 12345);
}
