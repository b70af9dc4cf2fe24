// What the memory controller does about words that a DRAM reports as lost, whatever DRAM it is.
#include <catch2/catch.hpp>

#include <cstring>
#include <optional>
#include <vector>

#include "controller/memory_controller.hpp"

using namespace tessera;
using namespace tessera::literals;

namespace {

/// A DRAM of somebody else's: fails one extent, and says so in one piece.
struct ForeignDram final : CpuLink, DramLink {
  MemoryController* memory = nullptr;
  DramAddress bad;
  Bytes length;
  std::vector<Access> moves;

  Picoseconds access(DramAddress address, std::uint32_t bytes, Access access, Picoseconds at) override {
    fail(address, Bytes(bytes), access);
    return at + 50_ns;
  }
  DmaGrant dma(const DmaTransfer& transfer, Picoseconds at) override {
    fail(transfer.address, transfer.bytes, transfer.access);
    return {at + 1_us, Bytes(0)};
  }
  void move(DramAddress address, Bytes bytes, Access access, Picoseconds) override {
    moves.push_back(access);
    fail(address, bytes, access);
  }
  void fail(DramAddress address, Bytes bytes, Access access) {
    if (length == Bytes(0) || access == Access::write || address >= bad + length.value() || bad >= address + bytes.value()) return;
    memory->uncorrectable(bad, length);
  }
};

struct Destroyed final : FaultListener {
  void destroyed(ConstContentSpan sector) override {
    Tag tag = 0;
    std::memcpy(&tag, sector.data(), sizeof tag);
    tags.push_back(tag);
  }
  std::vector<Tag> tags;
};

struct Machine {
  Machine() : cpu(timeline, config()), memory(cpu, dram, dram, bus, {4096, ContentMode::tags}, {1_MiB, 256_KiB, {}}, config()) {
    dram.memory = &memory;
    memory.set_fault_listener(&destroyed);
    memory.expect_errors(timeline, [this] { ++restarts; });
  }
  static ControllerConfig config() {
    ControllerConfig made;
    made.staging_buffer = 64_KiB;
    return made;
  }
  /// A buffer whose sectors hold tags 101, 102, ...
  DataBuffer tagged(std::uint32_t sectors) {
    DataBuffer buffer = memory.reserve_buffer(MemoryCategory::merge_buffer, sectors, "buffer");
    for (std::uint32_t i = 0; i < sectors; ++i) {
      const Tag tag = 101 + i;
      std::memcpy(buffer.content(i, 1).data(), &tag, sizeof tag);
    }
    return buffer;
  }
  void fails(DramAddress address, Bytes length) {
    dram.bad = address;
    dram.length = length;
  }
  /// A task reads a table so many times.
  void read(DramAddress address, int times = 1) {
    cpu.start(reading(address, times), nullptr, timeline.now());
    timeline.step();
  }
  Task<void> reading(DramAddress address, int times) {
    for (; times > 0; --times) memory.touch(address, 8, Access::read);
    co_return;
  }
  Timeline timeline;
  Executor cpu;
  ForeignDram dram;
  Destroyed destroyed;
  Interconnect bus{{}, 0};
  MemoryController memory;
  int restarts = 0;
};

}  // namespace

TEST_CASE("memory errors: every sector that the lost extent touches is lost, and the checker is told what they held") {
  Machine machine;
  DataBuffer buffer = machine.tagged(5);
  machine.fails(buffer.address() + 2 * 4096 - 1, Bytes(2));  // the last byte of sector 1 and the first of sector 2
  machine.memory.fetched(buffer.all());
  for (std::uint32_t i = 0; i < 5; ++i) CHECK(buffer.is_lost(i) == (i == 1 || i == 2));
  CHECK(machine.destroyed.tags == std::vector<Tag>{102, 103});
  machine.memory.fetched(buffer.all());
  CHECK(machine.destroyed.tags.size() == 2);
  CHECK(machine.restarts == 0);
}

TEST_CASE("memory errors: a part of a buffer that is not moved is not looked at") {
  Machine machine;
  DataBuffer buffer = machine.tagged(5);
  machine.fails(buffer.address() + 2 * 4096, Bytes(8));
  machine.memory.fetched(buffer.part(0, 2));
  machine.memory.fetched(buffer.part(3, 2));
  CHECK_FALSE(buffer.any_lost(0, 5));
  machine.memory.fetched(buffer.part(2, 1));
  CHECK(buffer.is_lost(2));
}

TEST_CASE("memory errors: a copy marks what it could not read, at both ends") {
  Machine machine;
  DataBuffer from = machine.tagged(4);
  DataBuffer to = machine.tagged(4);
  machine.fails(from.address() + 4096, Bytes(8));
  machine.memory.copy(from.part(1, 2), to.part(2, 2));
  CHECK(from.is_lost(1));
  for (std::uint32_t i = 0; i < 4; ++i) CHECK(to.is_lost(i) == (i == 2));
}

TEST_CASE("memory errors: for a table the restart is asked for once, and again after the next power-off") {
  Machine machine;
  machine.fails(DramAddress(500'000), Bytes(8));
  machine.read(DramAddress(499'992));
  CHECK_FALSE(machine.memory.table_failed());
  machine.read(DramAddress(500'000), 3);
  CHECK(machine.memory.table_failed());
  CHECK(machine.restarts == 0);  // not in the midst of the firmware's code
  while (!machine.timeline.empty()) machine.timeline.step();
  CHECK(machine.restarts == 1);
  machine.memory.power_off();
  CHECK_FALSE(machine.memory.table_failed());
  machine.read(DramAddress(500'000));
  while (!machine.timeline.empty()) machine.timeline.step();
  CHECK(machine.restarts == 2);
}

TEST_CASE("memory errors: a CPU that is held in reset asks for no restart") {
  Machine machine;
  machine.fails(DramAddress(500'000), Bytes(8));
  machine.read(DramAddress(500'000));
  machine.memory.halt();
  CHECK(machine.timeline.empty());
}

TEST_CASE("memory errors: without a DRAM that can fail nobody asks it") {
  Timeline timeline;
  Executor cpu(timeline, Machine::config());
  ForeignDram dram;
  Interconnect bus({}, 0);
  MemoryController memory(cpu, dram, dram, bus, {4096, ContentMode::tags}, {1_MiB, 256_KiB, {}}, Machine::config());
  DataBuffer buffer = memory.reserve_buffer(MemoryCategory::merge_buffer, 2, "buffer");
  memory.clear(buffer.all());
  memory.merge_blocks(buffer.part(0, 1), buffer.part(1, 1), 2, 2);
  memory.power_off();
  CHECK(dram.moves.empty());
}
