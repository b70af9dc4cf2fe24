// Whatever a debugger sends: the pieces in which it comes change nothing, and each packet has one answer of bounded length. The first byte
// says how long the pieces are.
#include <algorithm>
#include <cstdlib>

#include "platforms/gdb/gdb_session.hpp"
#include "unit/gdb/fake_target.hpp"

using namespace tessera;

namespace {

void demand(bool holds) {
  if (!holds) std::abort();
}

struct Talk {
  std::vector<std::string> packets;
  std::array<std::uint64_t, 33> registers{};
  std::array<std::byte, 256> memory{};
  std::vector<std::string> asked;
  bool operator==(const Talk&) const = default;
};

Talk talk(std::string_view stream, std::size_t piece) {
  test::FakeTarget target;
  GdbPackets packets;
  GdbSession session(target, packets);
  Talk said;
  for (std::size_t at = 0; at < stream.size(); at += piece) {
    packets.feed(stream.substr(at, piece));
    packets.sent(packets.out().size());
    while (auto packet = packets.next()) {
      said.packets.push_back(*packet);
      if (session.serve(*packet)) session.stopped({DebugStop::Reason::watchpoint, target.registers[5], 8, {}});
      demand(packets.out().size() <= 4 * GdbPackets::longest);
      packets.sent(packets.out().size());
    }
  }
  session.forget();
  said.registers = target.registers;
  said.memory = target.memory;
  said.asked = target.asked;
  return said;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view stream(reinterpret_cast<const char*>(data) + 1, size - 1);
  demand(talk(stream, std::size_t{data[0]} + 1) == talk(stream, 1));
  return 0;
}
