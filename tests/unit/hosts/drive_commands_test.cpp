// Commands of a translating host on a link that may change their order.
#include <catch2/catch.hpp>
#include <vector>

#include "stimuli/hosts/drive_commands.hpp"

using namespace tessera;

namespace {

/// Keeps what it is given.
struct KeepingLink final : HostLink {
  void issue(HostRequest& request) override { issued.push_back(&request); }
  void abort(HostRequest&) override {}
  std::vector<HostRequest*> issued;
};

}  // namespace

TEST_CASE("commands: where the link reorders, a write waits for the one that ends where it begins, and for no other") {
  const bool reorders = GENERATE(false, true);
  INFO("reorders " << reorders);
  Timeline timeline;
  KeepingLink link;
  DriveCommands commands(timeline, link, {.zones = 2, .zone_sectors = 8, .tags = 8, .link_reorders = reorders}, 8);
  const auto write = [&commands](std::uint64_t first, CommandPriority priority) {
    commands.send(HostOp::write, {HostBlock(first), 8}, priority, [](HostRequest&) {});
  };
  write(0, CommandPriority::background);
  write(8, CommandPriority::background);
  write(64, CommandPriority::foreground);
  CHECK(link.issued.size() == (reorders ? 2 : 3));
  commands.completed(*link.issued.front());
  REQUIRE(link.issued.size() == 3);
  CHECK(link.issued.back()->blocks.first == HostBlock(reorders ? 8 : 64));
}
