#include <catch2/catch.hpp>

#include "firmware/tables/dram_table.hpp"
#include "unit/controller/memory_bench.hpp"

using namespace tessera;
using namespace tessera::literals;
using namespace tessera::memory_bench;

TEST_CASE("the DRAM's capacity is enforced to the byte and the message says what would fit") {
  Machine machine;
  const std::uint64_t left = (1_MiB - 256_KiB - 64_KiB).value();
  machine.memory.reserve(MemoryCategory::metadata, Bytes(left), "map");
  CHECK_NOTHROW(machine.memory.check_capacity());
  Machine small;
  small.memory.reserve(MemoryCategory::metadata, Bytes(left + 1), "map");
  CHECK(message_of([&] { small.memory.check_capacity(); }) ==
        "the DRAM of 1048576 B (dram.capacity) cannot hold the map of 720897 B: 720896 B are left; a DRAM of 1048640 B would fit it and "
        "all the rest");
}

TEST_CASE("the capacity that a DRAM too small is told to have holds all that is reserved") {
  const auto reserve_all = [](Machine& machine) {
    for (const std::uint64_t size : {700'000U, 100'000U, 1U, 300'000U})
      machine.memory.reserve(MemoryCategory::metadata, Bytes(size), "table");
    static_cast<void>(machine.memory.reserve_buffer(MemoryCategory::merge_buffer, 3, "merge buffer"));
    machine.memory.check_capacity();
  };
  Machine small;
  const std::string message = message_of([&] { reserve_all(small); });
  const auto at = message.find("a DRAM of ") + std::string("a DRAM of ").size();
  const Bytes proposed(std::stoull(message.substr(at)));
  Machine enough(proposed);
  CHECK_NOTHROW(reserve_all(enough));
  Machine one_short(Bytes(proposed.value() - 1));
  CHECK_THROWS_AS(reserve_all(one_short), InputError);
}

TEST_CASE("what is reserved after the check, or far behind the end of the DRAM, is refused at once") {
  Machine machine;
  machine.memory.check_capacity();
  CHECK_THROWS_AS(machine.memory.reserve(MemoryCategory::metadata, 1_MiB, "late"), InputError);
  Machine small;
  CHECK_THROWS_AS(small.memory.reserve(MemoryCategory::metadata, Bytes(std::uint64_t{1} << 50), "huge"), InputError);
}

TEST_CASE("the image is loaded in no time: for the tables that it fills neither bus nor memory is busy") {
  Machine machine(1_MiB, {MemoryCategory::merge_buffer});
  for (const auto category : {MemoryCategory::metadata, MemoryCategory::merge_buffer})
    machine.memory.touch(machine.memory.reserve(category, 64_B, "table").address, 8, Access::write);
  CHECK(machine.dram.accesses == 0);
  MetricSet metrics;
  machine.memory.report(metrics, 1_s);
  CHECK(metrics.find("tcm.accesses.merge_buffer")->value == 0);
}

TEST_CASE("reserved tables are zeroed, counted by category and do not overlap") {
  Machine machine;
  const MemoryRegion a = machine.memory.reserve(MemoryCategory::metadata, 100_B, "a");
  const MemoryRegion b = machine.memory.reserve(MemoryCategory::merge_buffer, 10_B, "b");
  CHECK(b.address >= a.address + 100);
  CHECK(std::all_of(a.bytes.begin(), a.bytes.end(), [](std::byte x) { return x == std::byte{0}; }));
  CHECK(machine.memory.reserved(MemoryCategory::metadata) == 100_B);
  CHECK(machine.memory.reserved(MemoryCategory::merge_buffer) == 10_B);
}

TEST_CASE("after a power cut ordinary regions are new and dumped regions are as they were") {
  Machine machine;
  machine.memory.reserve(MemoryCategory::metadata, 8_B, "plain").bytes[0] = std::byte{1};
  machine.memory.reserve_dumped(MemoryCategory::write_cache, 8_B, "kept").bytes[0] = std::byte{2};
  content_of(machine.memory.reserve_dumped_buffer(MemoryCategory::write_cache, 1, "data").all())[5] = std::byte{3};
  machine.memory.power_off();
  CHECK(machine.memory.reserve(MemoryCategory::metadata, 8_B, "plain").bytes[0] == std::byte{0});
  CHECK(machine.memory.reserve_dumped(MemoryCategory::write_cache, 8_B, "kept").bytes[0] == std::byte{2});
  CHECK(content_of(machine.memory.reserve_dumped_buffer(MemoryCategory::write_cache, 1, "data").all())[5] == std::byte{3});
  CHECK(machine.memory.dumped_bytes() == 4_KiB + 4_KiB);
}

namespace {

enum class Begin : std::uint8_t { filled, anew };

/// A table of two pieces between buffers of three sectors each, all filled.
struct DumpedMachine : Machine {
  explicit DumpedMachine(Begin begin = Begin::filled) {
    if (begin == Begin::filled) fill(std::byte{5});
  }
  void fill(std::byte value) {
    take();
    std::ranges::fill(table.bytes, value);
    for (DataBuffer* buffer : {image, writes}) std::ranges::fill(content_of(buffer->all()), value);
  }
  void take() {
    image = &memory.reserve_dumped_buffer(MemoryCategory::merge_buffer, 3, "image");
    table = memory.reserve_dumped(MemoryCategory::metadata, 6000_B, "table");
    writes = &memory.reserve_dumped_buffer(MemoryCategory::write_cache, 3, "writes");
  }
  /// A power cut whose dump saves so many pieces, and a boot.
  bool cut(std::uint64_t pieces) {
    memory.power_off();
    const bool lost = memory.dumped(pieces);
    take();
    memory.check_capacity();
    return lost;
  }
  [[nodiscard]] double torn_boots() const {
    MetricSet metrics;
    memory.report(metrics, Picoseconds(0));
    return metrics.find("recovery.dumps_torn")->value.value();
  }
  DataBuffer* image = nullptr;
  DataBuffer* writes = nullptr;
  MemoryRegion table;
};

}  // namespace

TEST_CASE("a dump saves tables first, then buffers, and what it does not reach is told to be missing") {
  for (std::uint64_t pieces = 0; pieces <= 8; ++pieces) {
    INFO(pieces << " pieces");
    DumpedMachine machine;
    CHECK(machine.cut(pieces) == (pieces < 8));
    CHECK(machine.torn_boots() == (pieces < 8 ? 1 : 0));
    CHECK(machine.table.torn == (pieces < 2));
    CHECK((machine.table.bytes[4095] == std::byte{5}) == (pieces >= 1));
    CHECK((machine.table.bytes[4096] == std::byte{5}) == (pieces >= 2));
    for (std::uint32_t sector = 0; sector < 3; ++sector) {
      CHECK(machine.image->is_lost(sector) == (pieces < 3 + sector));
      CHECK(machine.writes->is_lost(sector) == (pieces < 6 + sector));
      CHECK((content_of(machine.writes->part(sector, 1))[0] == std::byte{5}) == (pieces >= 6 + sector));
    }
  }
}

TEST_CASE("what a dump did not save is missing once, and the next dump saves what there is then") {
  DumpedMachine machine;
  machine.cut(0);
  CHECK(machine.table.torn);
  machine.memory.power_off();  // the firmware restarts, or is cut again
  machine.take();
  CHECK_FALSE(machine.table.torn);
  machine.memory.power_off();
  machine.fill(std::byte{6});
  machine.cut(8);
  CHECK_FALSE(machine.table.torn);
  CHECK(machine.table.bytes[5999] == std::byte{6});
  CHECK(machine.writes->is_lost(2));
  CHECK(machine.torn_boots() == 1);
}

TEST_CASE("the checker is told of data that was taken from its place, not of what the host wrote") {
  struct Listener final : FaultListener {
    void destroyed(ConstContentSpan sector) override {
      ++told;
      CHECK(sector[0] == std::byte{5});
    }
    int told = 0;
  } listener;
  DumpedMachine machine;
  machine.memory.set_fault_listener(&listener);
  machine.cut(4);
  CHECK(listener.told == 1);
}

TEST_CASE("a memory that loads what another saved finds its dumped regions as they were, those that a dump lost marked so") {
  for (const std::uint64_t pieces : {8, 4, 1}) {  // all of them, all tables and half of the buffers, half of the table
    DumpedMachine saved;
    saved.memory.power_off();
    saved.memory.dumped(pieces);
    StateWriter out;
    saved.memory.save_state(out);
    saved.take();
    saved.memory.check_capacity();
    DumpedMachine loaded(Begin::anew);
    StateReader in(out.state(), "s");
    loaded.memory.load_state(in);
    CHECK(in.left() == 0);
    loaded.take();
    loaded.memory.check_capacity();
    CHECK(loaded.memory.dumped_bytes() == saved.memory.dumped_bytes());
    CHECK(loaded.table.torn == saved.table.torn);
    CHECK(std::ranges::equal(loaded.table.bytes, saved.table.bytes));
    for (const auto& [one, other] : {std::pair(loaded.image, saved.image), std::pair(loaded.writes, saved.writes)}) {
      CHECK(std::ranges::equal(content_of(one->all()), content_of(other->all())));
      for (std::uint32_t sector = 0; sector < 3; ++sector) CHECK(one->is_lost(sector) == other->is_lost(sector));
    }
    CHECK(loaded.torn_boots() == saved.torn_boots());
  }
}

TEST_CASE("firmware that reserves other dumped regions after a cut is a model bug") {
  Machine machine;
  machine.memory.reserve_dumped(MemoryCategory::write_cache, 8_B, "kept");
  machine.memory.power_off();
  CHECK_THROWS_AS(machine.memory.reserve_dumped(MemoryCategory::write_cache, 9_B, "kept"), ModelBug);
}

TEST_CASE("the staging pool lends what it has and no sector more") {
  Machine machine;
  DataBuffer all = machine.memory.acquire(16);
  CHECK(all.sectors() == 16);
  CHECK(machine.memory.acquire(1).sectors() == 0);
  machine.memory.release(std::move(all));
  CHECK(machine.memory.acquire(1).sectors() == 1);
}

TEST_CASE("merging an unaligned write keeps the old blocks around the new ones") {
  Machine machine;
  DataBuffer fresh = machine.memory.acquire(1);
  DataBuffer old = machine.memory.acquire(1);
  for (auto& byte : content_of(fresh.all())) byte = std::byte{7};
  for (auto& byte : content_of(old.all())) byte = std::byte{1};
  machine.memory.merge_blocks(fresh.all(), old.all(), 2, 3);
  for (std::size_t block = 0; block < 8; ++block)
    CHECK(content_of(fresh.all())[block * 8] == (block >= 2 && block < 5 ? std::byte{7} : std::byte{1}));
}

TEST_CASE("a lost sector is lost in each copy, and new data ends that") {
  Machine machine;
  DataBuffer from = machine.memory.acquire(3);
  DataBuffer to = machine.memory.acquire(3);
  from.mark_lost(1);
  to.mark_lost(2);
  machine.memory.copy(from.all(), to.all());
  CHECK(to.is_lost(1));
  CHECK_FALSE(to.any_lost(2, 1));
  machine.memory.clear(to.all());
  CHECK_FALSE(to.any_lost(0, 3));
  machine.memory.release(std::move(from));
  CHECK_FALSE(machine.memory.acquire(3).any_lost(0, 3));
}

TEST_CASE("a merge with a lost sector is lost unless all its blocks are new") {
  for (const std::uint32_t fresh : {7U, 8U}) {
    Machine machine;
    DataBuffer sector = machine.memory.acquire(1);
    DataBuffer old = machine.memory.acquire(1);
    old.mark_lost(0);
    machine.memory.merge_blocks(sector.all(), old.all(), 0, fresh);
    CHECK(sector.is_lost(0) == (fresh == 7));
  }
}

TEST_CASE("a task pays for its accesses to tables and its orders to the data mover, but not for the load of the image") {
  Machine machine;
  DramArray<std::uint32_t> table(machine.memory, MemoryCategory::metadata, 8, "table");
  table.write(0) = 1;
  CHECK(machine.cpu.performed(CpuOperation::table_access) == 0);
  const auto work = [](Machine& on, DramArray<std::uint32_t>& in) -> Task<void> {
    in.write(3) = in.read(0);
    static_cast<void>(in.read_run(0, 8));  // a burst is one access
    static_cast<void>(in.peek(3));
    DataBuffer buffer = on.memory.acquire(2);
    on.memory.copy(buffer.part(0, 1), buffer.part(1, 1));
    on.memory.clear(buffer.all());
    on.memory.release(std::move(buffer));
    co_return;
  };
  machine.cpu.start(work(machine, table), nullptr, 0_ps);
  machine.timeline.run();
  CHECK(machine.cpu.performed(CpuOperation::table_access) == 3);
  CHECK(machine.cpu.performed(CpuOperation::copy) == 4);
}
