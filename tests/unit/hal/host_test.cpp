// Commands from the host unit's ring, and what becomes of their data.
#include <catch2/catch.hpp>

#include "fake_machine.hpp"
#include "firmware/hal/cpu.hpp"
#include "firmware/hal/host.hpp"

using namespace tessera;
using namespace tessera::hal;
using test::FakeMachine;

namespace {

constexpr SectorShape shape{4096, ContentMode::none};
constexpr std::uint64_t data_address = 0x8200'0000;

/// Keeps the commands that it is to serve; a test ends them.
class Keeper final : public FirmwareEntry {
 public:
  std::vector<HostCommand*> commands;
  Task<Status> boot(bool) override { co_return Status::ok; }
  Task<void> serve(HostCommand& command) override {
    commands.push_back(&command);
    co_return;
  }
  [[nodiscard]] bool idle() const override { return true; }
};

struct Bench {
  FakeMachine machine;
  Cpu cpu{machine};
  Host host{machine, cpu, shape, 3};
  Keeper keeper;

  ~Bench() { cpu.end(); }
  void tell(const HostEntry& entry) {
    machine.tell(entry);
    host.take(keeper);
    cpu.run();
  }
};

Task<void> receive(HostPort& host, HostCommand& command, Status& status) {
  HostReceipt receipt{command};
  status = co_await host.received(receipt);
}

Task<void> cross(HostPort& host, HostPiece& piece, bool& over) {
  co_await host.crossed(piece);
  over = true;
}

}  // namespace

TEST_CASE("the ring has room for all that can be new of every tag, and a power of two of entries on a multiple of 64 bytes") {
  Bench bench;
  CHECK(bench.machine.values[Register::host_entries] == 16);  // 3 tags of 4 entries each
  CHECK(bench.machine.values[Register::host_ring] % 64 == 0);
  CHECK(bench.machine.writes.back().first == Register::host_entries);  // which starts the unit
}

TEST_CASE("a command is served as the ring names it, and completed with its tag and status") {
  Bench bench;
  bench.tell({.kind = HostEntry::command,
              .tag = 2,
              .op = static_cast<std::uint32_t>(HostOp::write),
              .flags = host_flags::force_unit_access,
              .first_block = 9,
              .blocks = 16,
              .data = {data_address, 3}});
  REQUIRE(bench.keeper.commands.size() == 1);
  HostCommand& command = *bench.keeper.commands.front();
  CHECK(command.op == HostOp::write);
  CHECK(command.force_unit_access);
  CHECK_FALSE(command.data_at_host);
  CHECK(command.blocks == HostRun{HostBlock(9), 16});
  CHECK(command.buffer.address() == DramAddress(data_address));
  CHECK(command.buffer.sectors() == 3);
  CHECK(command.buffer.shape().sector_bytes == 4096);
  CHECK(command.tag == 2);
  bench.host.complete(command, Status::read_only);
  CHECK(bench.machine.values[Register::host_complete] == (2 | static_cast<std::uint64_t>(Status::read_only) << 32));
}

TEST_CASE("commands come in the order of the ring, round after round") {
  Bench bench;
  for (std::uint32_t n = 0; n < 50; ++n) {
    bench.tell({.kind = HostEntry::command, .tag = n % 3, .op = static_cast<std::uint32_t>(HostOp::flush), .first_block = n});
    REQUIRE(bench.keeper.commands.size() == n + 1);
    CHECK(bench.keeper.commands.back()->blocks.first == HostBlock(n));
  }
}

TEST_CASE("a write whose data is at the host is fetched, and its task waits until the ring says that it has arrived") {
  Bench bench;
  bench.tell({.kind = HostEntry::command,
              .tag = 1,
              .op = static_cast<std::uint32_t>(HostOp::write),
              .flags = host_flags::data_at_host,
              .blocks = 8,
              .data = {data_address, 1}});
  HostCommand& command = *bench.keeper.commands.front();
  CHECK(command.data_at_host);
  bench.host.fetch(command);
  CHECK_FALSE(command.data_at_host);
  CHECK(bench.machine.values[Register::host_fetch] == 1);
  Status status = Status::no_space;
  bench.cpu.start(receive(bench.host, command, status), 1);
  bench.cpu.run();
  CHECK(bench.machine.written(Register::host_notify) == std::vector<std::uint64_t>{1});
  CHECK(status == Status::no_space);
  bench.tell({.kind = HostEntry::arrived, .tag = 1, .status = static_cast<std::uint32_t>(Status::aborted)});
  CHECK(status == Status::aborted);
}

TEST_CASE("a piece of a command that streams is named by its descriptor, and has crossed when the ring says so") {
  Bench bench;
  bench.tell(
      {.kind = HostEntry::command, .tag = 0, .op = static_cast<std::uint32_t>(HostOp::read), .blocks = 64, .data = {data_address, 4}});
  HostCommand& command = *bench.keeper.commands.front();
  HostPiece piece{command, 1, {HostBlock(16), 13}, command.buffer.part(2, 2)};
  bench.host.begin(piece);
  CHECK(piece.crosses);
  const auto& entry = bench.machine.submitted<HostPieceEntry>(Register::host_begin_piece, 0);
  CHECK(entry.tag == 0);
  CHECK(entry.half == 1);
  CHECK(entry.first_block == 16);
  CHECK(entry.blocks == 13);
  CHECK(entry.where.address == data_address + 2 * 4096);
  CHECK(entry.where.sectors == 2);

  bool over = false;
  bench.cpu.start(cross(bench.host, piece, over), 0);
  bench.cpu.run();
  CHECK(bench.machine.written(Register::host_notify_piece) == bench.machine.written(Register::host_begin_piece));
  CHECK_FALSE(over);
  bench.tell({.kind = HostEntry::crossed, .tag = 0, .status = static_cast<std::uint32_t>(Status::media_error), .half = 1});
  CHECK(over);
  CHECK_FALSE(piece.crosses);
  CHECK(piece.status == Status::media_error);
}

TEST_CASE("a command that the host gave up is marked, and the next one of its tag is not") {
  Bench bench;
  const HostEntry flush{.kind = HostEntry::command, .tag = 1, .op = static_cast<std::uint32_t>(HostOp::flush)};
  bench.tell(flush);
  bench.tell({.kind = HostEntry::aborted, .tag = 1});
  CHECK(bench.keeper.commands.front()->aborted);
  bench.tell(flush);
  CHECK_FALSE(bench.keeper.commands.back()->aborted);
}

TEST_CASE("the search among waiting writes names both ends and the command that is left out") {
  Bench bench;
  bench.machine.values[Register::host_search_found] = 1;
  CHECK(bench.host.write_waiting(LogicalSector(100), LogicalSector(120), 2));
  CHECK(bench.machine.values[Register::host_search_first] == 100);
  CHECK(bench.machine.values[Register::host_search_end] == 120);
  CHECK(bench.machine.values[Register::host_search_but] == 2);
  bench.machine.values[Register::host_search_found] = 0;
  CHECK_FALSE(bench.host.write_waiting(LogicalSector(100), LogicalSector(120), 2));
}
