// The roles of blocks and their two lists: the second phase of Amphisbaena's classification.
#include <catch2/catch.hpp>

#include <rapidcheck.h>

#include <string>
#include <vector>

#include "firmware/layers/amphisbaena/role_lists.hpp"
#include "unit/firmware/fake_ports.hpp"

using namespace tessera;
using namespace tessera::amphisbaena;
using namespace tessera::test;

namespace {

/// The roles of a high-frequency buffer of `size` blocks, with what the layer does about space.
struct Buffer {
  Buffer(std::uint32_t slots, const AmphisbaenaConfig& config)
      : size(slots), roles(memory, cpu, slots * (1 + config.history) + 1, std::uint64_t{1} << 40U, config) {
    roles.resize(slots);
  }
  void write(std::uint64_t number, bool hot = true) {
    const LogicalSector block(number);
    const Role was = roles.role_of(block);
    if (resident(was)) return roles.hit(block);
    if (was == Role::none && !hot) return roles.pass(block);
    while (roles.count(Role::sup) + roles.count(Role::lup) >= size) {
      evicted.push_back(static_cast<char>(roles.next_to_leave().value()));
      roles.leave(roles.next_to_leave());
    }
    roles.admit(block, was);
  }
  void write_all(const std::string& names) {
    for (const char name : names) write(static_cast<std::uint64_t>(name));
  }
  /// "B:sup E:ghost", from the LRU to the MRU end.
  [[nodiscard]] std::string resident_list() const {
    static const char* const names[] = {"none", "sup", "lup", "ghost", "shadow"};
    std::string text;
    for (const LogicalSector block : roles.resident_list()) {
      text += text.empty() ? "" : " ";
      text += static_cast<char>(block.value());
      text += std::string(":") + names[static_cast<int>(roles.role_of(block))];
    }
    return text;
  }
  [[nodiscard]] std::string filter_list() const {
    std::string text;
    for (const LogicalSector block : roles.filter_list()) text += static_cast<char>(block.value());
    return text;
  }

  FakeMemory memory;
  FakeCpu cpu;
  std::uint32_t size;
  RoleLists roles;
  std::string evicted;
};

}  // namespace

TEST_CASE("roles of blocks whose numbers share 32 bits are told apart") {
  Buffer buffer(3, AmphisbaenaConfig{});
  const std::uint64_t far = std::uint64_t{1} << 32U;
  buffer.write(7);
  buffer.write(7 + far);
  buffer.write(7 + 3 * far);
  CHECK(buffer.roles.role_of(LogicalSector(7)) == Role::sup);
  CHECK(buffer.roles.role_of(LogicalSector(7 + 3 * far)) == Role::lup);
  CHECK(buffer.roles.role_of(LogicalSector(7 + 2 * far)) == Role::none);
  buffer.roles.forget(LogicalSector(7 + far));
  CHECK(buffer.roles.role_of(LogicalSector(7 + far)) == Role::none);
  CHECK(buffer.roles.role_of(LogicalSector(7)) == Role::sup);
}

TEST_CASE("roles over a buffer of three blocks, step by step") {
  Buffer buffer(3, AmphisbaenaConfig{});
  CHECK(buffer.roles.most_sup() == 2);
  buffer.write_all("ABCC");
  CHECK(buffer.resident_list() == "B:sup C:sup");
  CHECK(buffer.filter_list() == "A");
  buffer.write_all("D");
  CHECK(buffer.evicted == "A");
  buffer.write_all("E");
  CHECK(buffer.evicted == "AD");
  CHECK(buffer.resident_list() == "B:sup C:sup D:ghost E:lup");
  buffer.write_all("D");
  CHECK(buffer.evicted == "ADE");
  CHECK(buffer.resident_list() == "C:sup E:ghost D:sup");
  CHECK(buffer.filter_list() == "B");
  buffer.write_all("A");
  CHECK(buffer.evicted == "ADEB");
  CHECK(buffer.resident_list() == "C:sup E:ghost D:sup A:lup");
  CHECK(buffer.filter_list() == "A");
  buffer.write('X', false);
  CHECK(buffer.resident_list() == "C:sup E:ghost D:sup A:lup X:shadow");
  buffer.write('X', false);  // a shadow is let in although its label is cold
  CHECK(buffer.evicted == "ADEBA");
  CHECK(buffer.resident_list() == "C:sup E:ghost D:sup A:ghost X:lup");
  CHECK(buffer.filter_list() == "X");
}

TEST_CASE("where the buffer shrinks, blocks at the bottom of the resident list are degraded, and one block is the filter's") {
  Buffer buffer(4, AmphisbaenaConfig{});
  buffer.write_all("ABCD");
  buffer.roles.resize(2);
  CHECK(buffer.roles.most_sup() == 1);
  CHECK(buffer.roles.count(Role::sup) == 1);
  CHECK(buffer.roles.count(Role::lup) == 3);
  buffer.roles.resize(1);
  CHECK(buffer.roles.most_sup() == 0);
  CHECK(buffer.roles.count(Role::sup) == 0);
}

TEST_CASE("a hit of a block in both lists degrades the bottom SUP block where there are enough, and as printed always") {
  AmphisbaenaConfig config;
  config.zones.paper = GENERATE(false, true);
  Buffer buffer(4, config);  // three SUP blocks
  buffer.write_all("ABCD");
  buffer.roles.resize(8);  // and now six
  buffer.write_all("D");
  CHECK(buffer.resident_list() == (config.zones.paper ? "B:sup C:sup D:sup" : "A:sup B:sup C:sup D:sup"));
  CHECK(buffer.filter_list() == (config.zones.paper ? "A" : ""));
}

TEST_CASE("a hit of the bottom SUP block prunes, and a hit of a block that only the filter list has promotes it") {
  AmphisbaenaConfig config;
  config.filter_hit = GENERATE(FilterHit::keep, FilterHit::demote);
  Buffer buffer(4, config);  // three SUP blocks
  buffer.write_all("ABCD");
  CHECK(buffer.resident_list() == "A:sup B:sup C:sup D:lup");
  buffer.write_all("A");
  CHECK(buffer.resident_list() == "B:sup C:sup D:lup A:sup");
  buffer.write_all("BC");
  CHECK(buffer.resident_list() == "A:sup B:sup C:sup");  // D went with the bottom
  CHECK(buffer.filter_list() == "D");
  buffer.write_all("D");
  if (config.filter_hit == FilterHit::demote) {
    CHECK(buffer.resident_list() == "B:sup C:sup D:sup");
    CHECK(buffer.filter_list() == "A");
    return;
  }
  CHECK(buffer.resident_list() == "A:sup B:sup C:sup D:sup");
  CHECK(buffer.filter_list().empty());
  buffer.write_all("E");  // for which the bottom leaves; E is an LUP block, as there are more SUP blocks than are to be
  CHECK(buffer.evicted == "A");
  CHECK(buffer.resident_list() == "B:sup C:sup D:sup E:lup");
}

TEST_CASE("after a hit that degraded nothing the next promotion degrades down to the share of the filter list") {
  Buffer buffer(4, AmphisbaenaConfig{});
  buffer.write_all("ABCDABCD");  // D, which went with the bottom, is the fourth SUP block
  CHECK(buffer.roles.count(Role::sup) == 4);
  buffer.write_all("EE");
  CHECK(buffer.roles.count(Role::sup) == 3);
  CHECK(buffer.resident_list() == "C:sup D:sup E:sup");
  CHECK(buffer.filter_list() == "B");
}

TEST_CASE("the end of the filter list that degraded blocks go to") {
  AmphisbaenaConfig config;
  config.filter_share = 0.5;
  Buffer lru(4, config);
  lru.write_all("ABCDC");  // C is promoted, A degraded
  CHECK(lru.filter_list() == "AD");
  config.demotion = Demotion::mru;
  Buffer mru(4, config);
  mru.write_all("ABCDC");
  CHECK(mru.filter_list() == "DA");
}

TEST_CASE("the first SUP block is the bottom of the resident list, whatever was in the list without one") {
  AmphisbaenaConfig config;
  config.filter_share = 1;
  Buffer buffer(2, config);
  buffer.write_all("ABC");  // for which A leaves
  CHECK(buffer.resident_list() == "C:lup");
  buffer.write_all("B");
  CHECK(buffer.resident_list() == "B:sup");
  CHECK(buffer.filter_list() == "C");
}

TEST_CASE("ghosts and shadows are remembered up to a share of the buffer, the first to become one forgotten first") {
  AmphisbaenaConfig config;
  config.history = 1;
  Buffer buffer(2, config);
  buffer.write_all("AB");
  buffer.write('X', false);
  buffer.write('Y', false);
  buffer.write('Z', false);
  CHECK(buffer.resident_list() == "A:sup B:lup Y:shadow Z:shadow");
  buffer.write_all("C");  // evicts B, a ghost
  CHECK(buffer.resident_list() == "A:sup B:ghost Z:shadow C:lup");
}

TEST_CASE("whatever is written, the roles and the lists agree") {
  CHECK(rc::check([] {
    AmphisbaenaConfig config;
    config.filter_share = *rc::gen::inRange(0, 11) / 10.0;
    config.history = *rc::gen::inRange<std::uint32_t>(0, 4);
    config.demotion = *rc::gen::element(Demotion::lru, Demotion::mru);
    config.filter_hit = *rc::gen::element(FilterHit::keep, FilterHit::demote);
    const auto size = *rc::gen::inRange<std::uint32_t>(1, 12);
    Buffer buffer(size, config);
    const auto writes =
        *rc::gen::container<std::vector<std::pair<int, int>>>(rc::gen::pair(rc::gen::inRange(0, 30), rc::gen::inRange(0, 3)));
    for (const auto& [block, label] : writes) {
      buffer.write(static_cast<std::uint64_t>(block), label != 0);
      const RoleLists& roles = buffer.roles;
      const auto resident_blocks = roles.resident_list();
      const auto filtered = roles.filter_list();
      RC_ASSERT(roles.count(Role::sup) <= (config.filter_hit == FilterHit::demote ? roles.most_sup() : size));
      RC_ASSERT(roles.count(Role::sup) + roles.count(Role::lup) <= size);
      RC_ASSERT(roles.count(Role::ghost) + roles.count(Role::shadow) <= size * config.history);
      RC_ASSERT(roles.count(Role::lup) == filtered.size());
      const bool bottom_is_sup = !resident_blocks.empty() && roles.role_of(resident_blocks.front()) == Role::sup;
      RC_ASSERT(bottom_is_sup == (roles.count(Role::sup) != 0));
      std::uint32_t sup = 0;
      for (const LogicalSector entry : resident_blocks) sup += roles.role_of(entry) == Role::sup ? 1U : 0U;
      RC_ASSERT(sup == roles.count(Role::sup));
      for (const LogicalSector entry : filtered) RC_ASSERT(roles.role_of(entry) == Role::lup);
    }
  }));
}
