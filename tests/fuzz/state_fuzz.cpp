// Whatever a state with a good checksum holds: each part takes it or refuses it as damaged, and what it took it saves again as it took it.
// The first byte says which part and content mode.
#include <cstdlib>
#include <string>

#include "base/error.hpp"
#include "media/content_store.hpp"
#include "nand/nand_array.hpp"
#include "platforms/state/state_facts.hpp"
#include "stimuli/scoreboard/scoreboard.hpp"

using namespace tessera;

namespace {

/// What the part saves once it has loaded `state`, and again once it has loaded that: the same.
template <class Make, class Save>
void load(std::string_view state, const Make& make, const Save& save) {
  const auto through = [&](std::string_view from) {
    auto part = make();
    StateReader in(from, "f");
    if constexpr (requires { part.load_state(in, HostBlock(4096)); })
      part.load_state(in, HostBlock(4096));
    else
      part.load_state(in);
    StateWriter out;
    save(part, out);
    return out.state();
  };
  const std::string once = through(state);
  if (through(once) != once) std::abort();
}

NandConfig small_array() {
  NandConfig config;
  config.blocks = 4;
  config.log_blocks = config.dump_blocks = 0;
  config.pages_per_block = 4;
  config.page_size = Bytes(8192);
  config.subpages = 2;
  config.oob_size = Bytes(16);
  return config;
}

void load_part(unsigned kind, std::string_view state) {
  const SectorShape shape{4096, static_cast<ContentMode>(kind / 4 % 3)};
  const auto save = [](const auto& part, StateWriter& out) { part.save_state(out); };
  switch (kind % 4) {
    case 0:
      return load(
          state, [&] { return ContentStore(shape, 100, 30); }, save);
    case 1:
      return load(
          state, [&] { return NandArray(small_array(), shape.kept(), 1); },
          [](const NandArray& array, StateWriter& out) { array.save_state(out, Picoseconds(0)); });
    case 2:
      return load(
          state, [] { return VersionMap(); }, save);
    default: {
      StateReader in(state, "f");
      const StateFacts facts = StateFacts::load(in);
      static_cast<void>(facts.misfit(StateFacts()));
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  try {
    load_part(data[0], {reinterpret_cast<const char*>(data) + 1, size - 1});
  } catch (const InputError&) {  // what a damaged state ends with
  }
  return 0;
}
