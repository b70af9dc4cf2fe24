#include <catch2/catch.hpp>

#include "unit/controller/memory_bench.hpp"

using namespace tessera;
using namespace tessera::literals;
using namespace tessera::memory_bench;

namespace {

/// A TCM of 128 KiB, words of 8 B in two cycles of 2 ns, one of which the operation has.
double metric(const MemoryController& memory, const char* name) {
  MetricSet metrics;
  memory.report(metrics, Picoseconds(0));
  return *metrics.find(name)->value;
}

Task<void> touch_all(MemoryController& memory, std::vector<std::pair<DramAddress, std::uint32_t>> accesses, Executor& cpu,
                     std::vector<Picoseconds>& ends) {
  for (const auto& [address, bytes] : accesses) {
    memory.touch(address, bytes, Access::write);
    ends.push_back(cpu.now());
  }
  co_return;
}

}  // namespace

TEST_CASE("an access to the TCM takes the cycles of its words and asks no DRAM") {
  Machine machine(1_MiB, {MemoryCategory::metadata});
  const DramAddress table = machine.memory.reserve(MemoryCategory::metadata, 64_B, "table").address;
  const DramAddress buffer = machine.memory.reserve(MemoryCategory::merge_buffer, 64_B, "buffer").address;
  std::vector<Picoseconds> ends;
  // Words of 8 B: one, one, two (bytes 4 to 11), three (7 to 16); then the DRAM.
  machine.cpu.start(touch_all(machine.memory, {{table, 4}, {table, 8}, {table + 4, 8}, {table + 7, 10}, {buffer, 4}}, machine.cpu, ends),
                    nullptr, 0_ps);
  machine.timeline.run();
  CHECK(ends == std::vector<Picoseconds>{2_ns, 4_ns, 8_ns, 14_ns, 64_ns});
  CHECK(machine.dram.accesses == 1);
  CHECK(metric(machine.memory, "tcm.accesses.metadata") == 4);
  CHECK(metric(machine.memory, "tcm.accesses.merge_buffer") == 0);
  CHECK(metric(machine.memory, "tcm.time") == Approx(14e-6));
  CHECK(metric(machine.memory, "tcm.reserved.metadata") == 64);
  CHECK(metric(machine.memory, "dram.reserved.metadata") == 0);
  CHECK(metric(machine.memory, "dram.reserved.merge_buffer") == 64);
  CHECK(metric(machine.memory, "metadata.bytes") == 64);
}

TEST_CASE("accesses to the TCM are counted by the category that lies there") {
  Machine machine(1_MiB, {MemoryCategory::metadata, MemoryCategory::merge_buffer});
  const DramAddress first = machine.memory.reserve(MemoryCategory::metadata, 64_B, "table").address;
  const DramAddress second = machine.memory.reserve(MemoryCategory::merge_buffer, 10_B, "mapping of a merge").address;
  const DramAddress third = machine.memory.reserve(MemoryCategory::metadata, 8_B, "another table").address;
  std::vector<Picoseconds> ends;
  machine.cpu.start(touch_all(machine.memory, {{first, 1}, {first + 63, 1}, {second, 1}, {second + 9, 1}, {third, 1}}, machine.cpu, ends),
                    nullptr, 0_ps);
  machine.timeline.run();
  CHECK(metric(machine.memory, "tcm.accesses.metadata") == 3);
  CHECK(metric(machine.memory, "tcm.accesses.merge_buffer") == 2);
}

TEST_CASE("the TCM's capacity is enforced to the byte and the message says what would fit, and who asks for it") {
  Machine machine(1_MiB, {MemoryCategory::metadata});
  machine.memory.reserve(MemoryCategory::metadata, 128_KiB, "map");
  CHECK_NOTHROW(machine.memory.check_capacity());
  Machine small(1_MiB, {MemoryCategory::metadata});
  small.memory.reserve(MemoryCategory::metadata, 64_B, "list");
  small.memory.reserve(MemoryCategory::metadata, 128_KiB, "map");
  CHECK(message_of([&] { small.memory.check_capacity(); }) ==
        "the TCM of 131072 B (controller.tcm.size) cannot hold the map of 131072 B: 131008 B are left; a TCM of 131136 B would fit it and "
        "all the rest; firmware.placement.metadata = \"dram\" asks for less");
  // The DRAM holds what the TCM was not asked to.
  CHECK(metric(small.memory, "dram.reserved.total") == (256_KiB + 64_KiB).value());
}

TEST_CASE("DMA reaches a buffer in the TCM over the bus and not the DRAM") {
  Machine machine(1_MiB, {MemoryCategory::merge_buffer});
  DataBuffer inside = machine.memory.reserve_buffer(MemoryCategory::merge_buffer, 1, "merge buffer");
  DataBuffer outside = machine.memory.reserve_buffer(MemoryCategory::read_cache, 1, "read cache segment");
  // 4 KiB are 512 beats of 2 ns and a crossing of 4.
  CHECK(machine.memory.dma({BusInitiator::disk, inside.address(), 4_KiB, Access::write}, 1_us).end == 1_us + 1024_ns + 8_ns);
  CHECK(machine.dram.extents == 0);
  CHECK(machine.memory.dma({BusInitiator::disk, outside.address(), 4_KiB, Access::write}, 10_us).end == 10_us + Picoseconds(4096));
  CHECK(machine.dram.extents == 1);
  machine.memory.copy(inside.all(), outside.all());
  CHECK(machine.dram.extents == 2);
  CHECK(metric(machine.memory, "tcm.dma.bytes") == 8192);
}

TEST_CASE("a power cut gives the TCM back") {
  Machine machine(1_MiB, {MemoryCategory::metadata});
  const DramAddress before = machine.memory.reserve(MemoryCategory::metadata, 128_KiB, "map").address;
  machine.memory.power_off();
  CHECK(machine.memory.reserve(MemoryCategory::metadata, 128_KiB, "map").address == before);
  CHECK_NOTHROW(machine.memory.check_capacity());
}

TEST_CASE("a placement of what the firmware does not have is said") {
  Machine machine(1_MiB, {MemoryCategory::metadata, MemoryCategory::read_cache});
  machine.memory.reserve(MemoryCategory::metadata, 8_B, "map");
  CHECK(machine.memory.placement_notes() ==
        std::vector<std::string>{"firmware.placement.read_cache: without effect, this firmware has nothing of that kind"});
}

TEST_CASE("a TCM of one cycle adds nothing to the cycles of operations") {
  TcmConfig config;
  const Tcm tcm(config, Hertz(500'000'000));
  CHECK(tcm.time_of(Tcm::base, 4096) == 0_ps);
  config.latency = 4;
  config.width = 4;
  CHECK(Tcm(config, Hertz(500'000'000)).time_of(Tcm::base + 2, 4) == 2 * 3 * 2_ns);  // two words
  config.width = 12;
  CHECK_THROWS_AS(Tcm(config, Hertz(500'000'000)), InputError);
}
