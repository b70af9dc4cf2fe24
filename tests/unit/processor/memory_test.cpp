// Loads, stores, code that changes, and reservations.
#include <catch2/catch.hpp>

#include "base/error.hpp"
#include "unit/processor/machine.hpp"

using namespace tessera;
using namespace tessera::riscv;
using namespace tessera::riscv::assembly;

TEST_CASE("memory: regions are found by address, as a whole or not at all") {
  std::vector<std::byte> low(0x1800), high(0x1000);
  Memory memory;
  memory.map(0x3000, high);
  memory.map(0x1000, low);
  CHECK(memory.find(0x0fff, 1) == nullptr);
  CHECK(memory.find(0x1000, 0x1800) == low.data());
  CHECK(memory.find(0x27ff, 1) == low.data() + 0x17ff);
  CHECK(memory.find(0x27ff, 2) == nullptr);
  CHECK(memory.find(0x2800, 1) == nullptr);
  CHECK(memory.find(0x3fff, 1) == high.data() + 0xfff);
  CHECK(memory.find(0x4000, 1) == nullptr);
  CHECK(memory.from(0x2700).size() == 0x100);
  CHECK(memory.from(0x2800).empty());
}

TEST_CASE("memory: what is read-only is loaded and fetched, and a store there meets no memory") {
  std::vector<std::byte> kept(page_bytes), free(page_bytes);
  Memory memory;
  memory.map_read_only(0x1000, kept);
  memory.map(0x2000, free);
  CHECK(memory.find(0x1010, 8) == kept.data() + 0x10);
  CHECK(memory.find_to_store(0x1010, 8) == nullptr);
  CHECK(memory.find_to_store(0x2010, 8) == free.data() + 0x10);
  CHECK(memory.find_to_store(0x2ffc, 8) == nullptr);
  CHECK(memory.find_to_store(0x4000, 1) == nullptr);
}

TEST_CASE("memory: regions neither overlap nor begin within a page") {
  std::vector<std::byte> bytes(0x2000);
  Memory memory;
  memory.map(0x4000, bytes);
  CHECK_THROWS_AS(memory.map(0x5000, bytes), ModelBug);
  CHECK_THROWS_AS(memory.map(0x3000, bytes), ModelBug);
  CHECK_THROWS_AS(memory.map(0x8001, bytes), ModelBug);
  CHECK_THROWS_AS(memory.map(0x8000, {}), ModelBug);
  memory.map(0x6000, bytes);
  memory.map(0x2000, bytes);
}

TEST_CASE("memory: misaligned accesses cross pages and regions") {
  std::vector<std::byte> program(page_bytes), first(page_bytes), second(page_bytes);
  Memory memory;
  memory.map(0x1000, program);
  memory.map(0x8000, first);
  memory.map(0x9000, second);
  Hart hart({}, memory);
  const std::uint32_t code[] = {sd(a1, a0, -3), ld(a2, a0, -3), ld(a3, a0, -4)};
  std::memcpy(program.data(), code, sizeof code);
  hart.reset(0x1000);
  hart.set_x(a0, 0x9000);
  hart.set_x(a1, 0x0807'0605'0403'0201);
  for (int i = 0; i < 3; ++i) REQUIRE(hart.step() == Stop::limit);
  CHECK(first[0xffd] == std::byte{1});
  CHECK(first[0xfff] == std::byte{3});
  CHECK(second[0] == std::byte{4});
  CHECK(second[4] == std::byte{8});
  CHECK(second[5] == std::byte{0});
  CHECK(hart.x(a2) == 0x0807'0605'0403'0201);
  CHECK(hart.x(a3) == 0x0706'0504'0302'0100);
}

TEST_CASE("memory: an instruction may begin in one region and end in the next") {
  std::vector<std::byte> first(page_bytes), second(page_bytes);
  Memory memory;
  memory.map(0x1000, first);
  memory.map(0x2000, second);
  Hart hart({}, memory);
  const std::uint32_t code = addi(a0, zero, 77);
  std::memcpy(&first[0xffe], &code, 2);
  std::memcpy(second.data(), reinterpret_cast<const char*>(&code) + 2, 2);
  hart.reset(0x1ffe);
  REQUIRE(hart.step() == Stop::limit);
  CHECK(hart.x(a0) == 77);
  CHECK(hart.pc() == 0x2002);
}

TEST_CASE("memory: RV32 addresses wrap") {
  Machine machine(false);
  machine.program({lui(a0, 0x00008), lw(a1, a0, 0), wfi});
  machine.hart.set_x(a0, 0);
  machine.put(memory_base, {lui(a0, 0x80009), addi(a1, zero, -1), slli(a1, a1, 12), add(a0, a0, a1), lw(a2, a0, 4)});
  machine.poke<std::uint32_t>(data + 4, 1234);
  machine.steps(5);
  CHECK(machine.hart.x(a0) == data);
  CHECK(machine.hart.x(a2) == 1234);
}

TEST_CASE("code: a store into the block that runs changes the next instruction") {
  Machine machine;
  machine.program({sw(a1, a0, 0), nop, addi(a2, zero, 1), wfi});
  machine.hart.set_x(a0, memory_base + 8);
  machine.hart.set_x(a1, addi(a2, zero, 2));
  REQUIRE(machine.hart.run(1000) == Stop::wait);
  CHECK(machine.hart.x(a2) == 2);
  CHECK(machine.hart.instructions() == 4);
}

TEST_CASE("code: a store into code that ran before is seen when it runs again") {
  Machine machine;
  machine.program({jal(ra, 24), jal(ra, 20), sw(a1, a0, 0), jal(ra, 12), wfi, nop, addi(a2, a2, 1), ret});
  machine.hart.set_x(a0, memory_base + 24);
  machine.hart.set_x(a1, addi(a2, a2, 100));
  REQUIRE(machine.hart.run(1000) == Stop::wait);
  CHECK(machine.hart.x(a2) == 102);
}

TEST_CASE("code: a block that ends in the next page is dropped by a store there, though the page was written before") {
  Machine machine;
  const std::uint64_t place = memory_base + 0xff8;
  machine.put(place, {sw(a1, a0, 8), nop, nop, addi(a2, zero, 1), wfi});
  Hart& hart = machine.hart;
  machine.program({sw(a1, a0, 0), wfi});
  hart.set_x(a0, memory_base + 0x1100);
  REQUIRE(hart.run(1000) == Stop::wait);  // the next page is now among those written last
  hart.set_x(a0, memory_base + 0xffc);
  hart.set_x(a1, addi(a2, zero, 2));
  hart.set_pc(place);
  REQUIRE(hart.run(1000) == Stop::wait);
  CHECK(hart.x(a2) == 2);
}

TEST_CASE("code: data beside code in one page is written without an end of the block") {
  Machine machine;
  machine.program({sw(a1, a0, 0), lw(a2, a0, 0), wfi});
  machine.hart.set_x(a0, memory_base + 0x800);
  machine.hart.set_x(a1, 5);
  REQUIRE(machine.hart.run(1000) == Stop::wait);
  CHECK(machine.hart.x(a2) == 5);
}

TEST_CASE("code: what is written past the hart is decoded anew, also where an instruction crosses into it") {
  Machine machine;
  const std::uint64_t place = memory_base + 0xffe;  // a block that ends in the next page
  machine.put(place, {addi(a2, zero, 1), wfi});
  machine.hart.set_pc(place);
  REQUIRE(machine.hart.run(1000) == Stop::wait);
  CHECK(machine.hart.x(a2) == 1);
  machine.poke<std::uint16_t>(place + 2, 0x0020);  // addi a2, zero, 2: its immediate lies in the upper half
  machine.hart.set_pc(place);
  REQUIRE(machine.hart.run(1000) == Stop::wait);
  CHECK(machine.hart.x(a2) == 2);
}

TEST_CASE("code: FENCE.I has code decoded anew that nobody reported") {
  Machine machine;
  machine.program({fence_i, addi(a2, a2, 1), wfi});
  REQUIRE(machine.hart.run(1000) == Stop::wait);
  const std::uint32_t changed = addi(a2, a2, 10);
  std::memcpy(machine.bytes.data() + 4, &changed, sizeof changed);
  machine.hart.set_pc(memory_base);
  REQUIRE(machine.hart.run(1000) == Stop::wait);
  CHECK(machine.hart.x(a2) == 11);
}

TEST_CASE("reservations: SC succeeds once behind LR of its address, and nothing else breaks or makes one") {
  Machine machine;
  machine.program({lr_w(a1, a0), sc_w(a2, s0, a0), sc_w(a3, s1, a0), wfi});
  machine.poke<std::uint32_t>(data, 0x8000'0000);
  Hart& hart = machine.hart;
  hart.set_x(a0, data);
  hart.set_x(s0, 7);
  hart.set_x(s1, 8);
  hart.set_x(a2, 99);
  REQUIRE(hart.run(1000) == Stop::wait);
  CHECK(hart.x(a1) == 0xffff'ffff'8000'0000);
  CHECK(hart.x(a2) == 0);
  CHECK(hart.x(a3) == 1);
  CHECK(machine.peek<std::uint32_t>(data) == 7);
}

TEST_CASE("reservations: a write past the hart and a trap each end one") {
  const auto succeeds = [](auto&& between) {
    Machine machine;
    machine.program({lr_w(a1, a0), sc_w(a2, s0, a0), ecall});
    machine.put(handler, {nop, nop});
    machine.hart.set_x(a0, data);
    machine.hart.set_x(a2, 99);
    machine.steps(1);
    between(machine);
    machine.hart.set_pc(memory_base + 4);
    machine.steps(1);
    return machine.hart.x(a2) == 0;
  };
  CHECK(succeeds([](Machine&) {}));
  CHECK(succeeds([](Machine& machine) { machine.hart.memory_written(data - 8, 8); }));
  CHECK(succeeds([](Machine& machine) { machine.hart.memory_written(data + 8, 8); }));
  CHECK_FALSE(succeeds([](Machine& machine) { machine.hart.memory_written(data, 1); }));
  CHECK_FALSE(succeeds([](Machine& machine) { machine.hart.memory_written(data - 64, 128); }));
  CHECK_FALSE(succeeds([](Machine& machine) {
    machine.hart.set_pc(memory_base + 8);
    machine.steps(1);
  }));
}
