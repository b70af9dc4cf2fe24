// What the memory unit gives to firmware behind registers, in either memory: addresses, bytes, and what becomes of them in a power cut.
#include "machine/memory_unit.hpp"

#include <catch2/catch.hpp>
#include <cstring>

#include "base/error.hpp"
#include "controller/memory_controller.hpp"
#include "support/placed_in_tcm.hpp"
#include "unit/firmware/fake_ports.hpp"

using namespace tessera;
using namespace tessera::literals;

namespace {

constexpr std::uint64_t name_at = hal::dram_base + 64;  // of what is reserved

/// 1 MiB of DRAM, of which an image takes 4 KiB, and 128 KiB of TCM, of which it takes 100 bytes.
struct Drive final : CpuLink, DramLink, InterruptLines {
  explicit Drive(std::vector<MemoryCategory> in_tcm, bool reaches_tcm = true)
      : memory(cpu, *this, *this, bus, {4096, ContentMode::tags},
               {.dram = 1_MiB,
                .host_buffer = 64_KiB,
                .placement = test::placed_in_tcm(in_tcm),
                .image = 4_KiB,
                .image_in_tcm = 100_B,
                .tcm_by_address = true},
               config()) {
    space.map(hal::dram_base, dram);
    space.map(hal::tcm_base, memory.tcm().bytes());
    std::strcpy(reinterpret_cast<char*>(space.find(name_at, 8)), "table");
    start(reaches_tcm);
  }
  void start(bool reaches_tcm = true) { unit.emplace(machine, dram, reaches_tcm ? std::optional(memory.tcm().bytes()) : std::nullopt); }
  static ControllerConfig config() {
    ControllerConfig made;
    made.staging_buffer = 64_KiB;
    return made;
  }

  std::uint64_t reserve(MemoryCategory category, std::uint64_t bytes, std::uint64_t flags = 0) {
    using enum hal::Register;
    unit->write(memory_category, static_cast<std::uint64_t>(category));
    unit->write(memory_bytes, bytes);
    unit->write(memory_name, name_at);
    unit->write(memory_reserve, flags);
    return unit->read(memory_address);
  }
  double metric(const char* name) {
    MetricSet metrics;
    memory.report(metrics, Picoseconds(0));
    return *metrics.find(name)->value;
  }

  Picoseconds access(DramAddress, std::uint32_t, Access, Picoseconds at) override { return at; }
  DmaGrant dma(const DmaTransfer&, Picoseconds at) override {
    ++extents;
    return {at, Bytes(0)};
  }
  std::span<std::byte> bytes() override { return dram; }
  void raise(std::uint64_t) override {}

  std::vector<std::byte> dram = std::vector<std::byte>(1 << 20);
  int extents = 0;
  Timeline timeline;
  Executor cpu{timeline, config()};
  Interconnect bus{{}, 0};
  MemoryController memory;
  test::FakeMedia media{256};
  test::FakeHost host;
  riscv::Memory space;
  Machine machine{timeline, {media, nullptr, memory, cpu, host}, space, *this};
  std::optional<MemoryUnit> unit;
};

}  // namespace

TEST_CASE("memory unit: what is placed in the TCM lies there behind the image, everything else in the DRAM") {
  Drive drive({MemoryCategory::metadata});
  const std::uint64_t table = drive.reserve(MemoryCategory::metadata, 200);
  CHECK(table == hal::tcm_base + 128);  // behind 100 bytes, in whole lines
  CHECK(drive.reserve(MemoryCategory::metadata, 8) == table + 256);
  CHECK(drive.reserve(MemoryCategory::merge_buffer, 64) == hal::dram_base + (4_KiB + 64_KiB + 64_KiB).value());
  CHECK(drive.metric("tcm.reserved.code") == 100);
  CHECK(drive.metric("tcm.reserved.metadata") == 208);
  CHECK(drive.metric("dram.reserved.code") == 4096);
  CHECK(drive.metric("dram.reserved.metadata") == 0);
  CHECK_FALSE(drive.unit->overflows());
  CHECK_NOTHROW(drive.memory.check_capacity());
}

TEST_CASE("memory unit: a buffer in the TCM is found by its address there, and moved past the DRAM") {
  Drive drive({MemoryCategory::merge_buffer});
  const std::uint64_t inside = drive.reserve(MemoryCategory::merge_buffer, 8192, hal::reserve_flags::buffer);
  CHECK(inside == hal::tcm_base + 128);
  const DataSpan second = drive.machine.data(inside + 4096, 1);
  CHECK(second.first == 1);
  CHECK(drive.machine.address_of(*second.buffer) == inside);
  CHECK_THROWS_WITH(drive.machine.data(inside + 8192, 1), "1 sectors of data are named at 0x44002080, which no buffer holds");
  CHECK_THROWS_AS(drive.machine.data(inside - 4096, 1), FirmwareFault);
  static_cast<void>(drive.memory.dma({BusInitiator::disk, second.buffer->address(), 4_KiB, Access::write}, 0_ps));
  CHECK(drive.extents == 0);
  CHECK(drive.metric("tcm.dma.bytes") == 4096);
}

TEST_CASE("memory unit: the TCM ends with its last byte, and what would fit is said") {
  Drive fits({MemoryCategory::metadata});
  CHECK(fits.reserve(MemoryCategory::metadata, (128_KiB).value() - 128) != 0);
  CHECK_NOTHROW(fits.memory.check_capacity());
  Drive drive({MemoryCategory::metadata});
  CHECK(drive.reserve(MemoryCategory::metadata, (128_KiB).value() - 127) == 0);
  CHECK(drive.unit->overflows());
  CHECK_THROWS_WITH(
      drive.memory.check_capacity(),
      "the TCM of 131072 B (controller.tcm.size) cannot hold the table of 130945 B: 130944 B are left; a TCM of 131136 B would "
      "fit it and all the rest; firmware.placement.metadata = \"dram\" asks for less");
}

TEST_CASE("memory unit: a power cut empties the TCM, but for what a dump has saved of it") {
  Drive drive({MemoryCategory::metadata, MemoryCategory::write_cache});
  const std::uint64_t table = drive.reserve(MemoryCategory::metadata, 8);
  const std::uint64_t dumped = drive.reserve(MemoryCategory::write_cache, 8, hal::reserve_flags::dumped);
  for (const std::uint64_t address : {table, dumped}) drive.machine.store<std::uint64_t>(address, 7, "a word");
  drive.unit->write_back();
  drive.memory.power_off();
  static_cast<void>(drive.memory.dumped(1));
  drive.start();
  CHECK(drive.machine.load<std::uint64_t>(table, "a word") == 0);
  CHECK(drive.reserve(MemoryCategory::metadata, 8) == table);
  CHECK(drive.reserve(MemoryCategory::write_cache, 8, hal::reserve_flags::dumped) == dumped);
  CHECK(drive.machine.load<std::uint64_t>(table, "a word") == 0);
  CHECK(drive.machine.load<std::uint64_t>(dumped, "a word") == 7);
}

TEST_CASE("memory unit: firmware that reaches no TCM is refused what is placed there, by the parameter's name") {
  Drive drive({MemoryCategory::read_cache}, false);
  CHECK(drive.reserve(MemoryCategory::metadata, 8) != 0);
  CHECK_THROWS_WITH(drive.reserve(MemoryCategory::read_cache, 4096, hal::reserve_flags::buffer),
                    "firmware.placement.read_cache is tcm, which firmware on an external processor does not reach; expected dram");
}
