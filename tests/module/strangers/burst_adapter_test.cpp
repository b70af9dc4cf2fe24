// The adapter to DRAM simulators (examples/dramsys) with a stub that behaves as DRAMSys does: END_REQ comes late where its queue is full,
// and banks answer out of order.
#include <catch2/catch.hpp>
#include <filesystem>
#include <systemc>

#include "bus/protocol_checker_module.hpp"
#include "examples/dramsys/burst_adapter.hpp"
#include "module/strangers/strange_loop.hpp"
#include "module/strangers/strange_simulator.hpp"
#include "platforms/drive/drive_module.hpp"

using namespace tessera;

using strangers::BankedDram;

namespace {

void serve_behind_the_adapter(BurstShape bursts) {
  const DriveConfig config = load_drive(std::filesystem::path(TESSERA_DRIVES) / "bare.toml", {"dram.capacity=64 MiB"}, "imr-rmw");
  BurstAdapter adapter("adapter", config.dram.capacity.value());
  ProtocolCheckerModule checker("checker");
  BankedDram dram("dram");
  adapter.to.bind(checker.from);
  checker.to.bind(dram.tSocket);
  DriveParts parts;
  parts.check_protocol = true;
  parts.dram.emplace(DramPart{adapter.from, adapter.bytes, true, &adapter, nullptr, nullptr, bursts});
  DriveModule drive("drive", config, plan_drive(config), ContentMode::bytes, 1, std::move(parts));
  strangers::LoopHost host("host", 4, 60, std::uint64_t{1} << 30);
  host.socket.bind(drive.block_socket());
  drive.power_on(false, [](Status) {});
  sc_core::sc_start(sc_core::sc_time(100, sc_core::SC_SEC));
  drive.timeline_module().rethrow_failure();
  CHECK(host.answered == 60);
  CHECK(host.failed == 0);
  CHECK(dram.bursts > 60 * 4096 / 64);
  CHECK(dram.held_back > 0);
  CHECK(dram.out_of_order > 0);
  CHECK(dram.most_under_way > 1);
  CHECK(adapter.most_under_way <= 16);
}

}  // namespace

TEST_CASE("a DRAM simulator behind the adapter sees bursts, several at once, by the base protocol, and the drive serves") {
  serve_behind_the_adapter({});
}

TEST_CASE("bursts of the drive's own pass the adapter between those that it makes") { serve_behind_the_adapter({Bytes(64), 8}); }
