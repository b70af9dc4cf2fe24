// Regions of the machine's memory: what is asked for, and whether a dump brought them back.
#include <catch2/catch.hpp>

#include "fake_machine.hpp"
#include "firmware/hal/memory.hpp"

using namespace tessera;
using namespace tessera::hal;
using test::FakeMachine;

namespace {

struct Bench {
  FakeMachine machine;
  Memory memory{machine, 4096};

  std::uint64_t value(Register which) { return machine.values[which]; }
};

}  // namespace

TEST_CASE("a buffer takes its sectors of the memory, a region its bytes") {
  Bench bench;
  const DataBuffer buffer = bench.memory.reserve_buffer(MemoryCategory::write_cache, 3, "three sectors");
  CHECK(bench.value(Register::memory_bytes) == 3 * 4096);
  CHECK(buffer.sectors() == 3);
  CHECK(buffer.address() == DramAddress(bench.value(Register::memory_address)));
  const MemoryRegion region = bench.memory.reserve(MemoryCategory::metadata, Bytes(100), "a table");
  CHECK(bench.value(Register::memory_bytes) == 100);
  CHECK(region.bytes.size() == 100);
}

TEST_CASE("a dumped region says whether the dump before it was cut short") {
  for (const bool torn : {true, false}) {
    Bench bench;
    bench.machine.values[Register::memory_torn] = torn ? 1 : 0;
    CHECK(bench.memory.reserve_dumped(MemoryCategory::metadata, Bytes(64), "a table").torn == torn);
  }
}

TEST_CASE("a merge names the old sector, the new one and the blocks that come from the old, and takes over the marks") {
  Bench bench;
  DataBuffer buffer = bench.memory.reserve_buffer(MemoryCategory::merge_buffer, 2, "new and old");
  buffer.mark_lost(1);
  bench.memory.merge_blocks(buffer.part(0, 1), buffer.part(1, 1), 3, 5);
  const std::uint64_t sector = buffer.address().value();
  const auto number = [](MoverOperation operation) { return static_cast<std::uint64_t>(operation); };
  CHECK(bench.machine.written(Register::mover_start) ==
        std::vector{number(MoverOperation::mark_lost), number(MoverOperation::merge), number(MoverOperation::first_lost)});
  CHECK(bench.machine.written(Register::mover_from) == std::vector<std::uint64_t>{sector + 4096, sector + 4096, sector});
  CHECK(bench.value(Register::mover_to) == sector);
  CHECK(bench.value(Register::mover_blocks) == (3 | 5ULL << 32));
  CHECK(bench.machine.lost == std::vector<std::uint64_t>{sector + 4096});
}
