// What a debugger asks of the hart: breakpoints, watchpoints, steps.
#include <catch2/catch.hpp>

#include "unit/processor/machine.hpp"

using namespace tessera;
using namespace tessera::riscv;
using namespace tessera::riscv::assembly;

TEST_CASE("breakpoints: stop before the instruction, each time it comes, and let it run when told to go on") {
  Machine machine;
  machine.program({addi(a0, zero, 3), addi(a1, a1, 1), addi(a0, a0, -1), bne(a0, zero, -8), wfi});
  Hart& hart = machine.hart;
  hart.set_breakpoint(memory_base + 8);
  for (std::uint64_t round = 1; round <= 3; ++round) {
    REQUIRE(hart.run(1000) == Stop::breakpoint);
    CHECK(hart.pc() == memory_base + 8);
    CHECK(hart.x(a1) == round);
    CHECK(hart.x(a0) == 4 - round);
  }
  CHECK(hart.run(1000) == Stop::wait);

  hart.set_pc(memory_base);
  hart.clear_breakpoint(memory_base + 8);
  CHECK(hart.run(1000) == Stop::wait);
}

TEST_CASE("breakpoints: a place in code that ran before stops, and a step goes over it") {
  Machine machine;
  machine.program({nop, nop, nop, jal(zero, -12)});
  Hart& hart = machine.hart;
  REQUIRE(hart.run(100) == Stop::limit);
  hart.set_breakpoint(memory_base + 4);
  REQUIRE(hart.run(200) == Stop::breakpoint);
  CHECK(hart.pc() == memory_base + 4);
  CHECK(hart.step() == Stop::limit);
  CHECK(hart.pc() == memory_base + 8);
  REQUIRE(hart.run(200) == Stop::breakpoint);
}

TEST_CASE("steps: one instruction, or the way into a trap") {
  Machine machine;
  machine.program({addi(a0, a0, 1), ecall});
  machine.put(handler, {nop});
  Hart& hart = machine.hart;
  CHECK(hart.step() == Stop::limit);
  CHECK(hart.pc() == memory_base + 4);
  CHECK(hart.step() == Stop::limit);
  CHECK(hart.pc() == handler);
  CHECK(hart.instructions() == 1);
}

TEST_CASE("watchpoints: stop behind an access of their kind that touches them") {
  Machine machine;
  machine.program({lw(a1, a0, 4), sb(a2, a0, 7), sw(a2, a0, 8), lw(a3, a0, 0), nop, wfi});
  Hart& hart = machine.hart;
  hart.set_x(a0, data);
  hart.set_x(a2, 0x55);
  hart.set_watchpoint(data + 4, 4, false, true);
  REQUIRE(hart.run(1000) == Stop::watchpoint);
  CHECK(hart.pc() == memory_base + 8);
  CHECK(hart.instructions() == 2);
  CHECK(hart.watched().address == data + 7);
  CHECK(hart.watched().write);
  CHECK(hart.watched().value == 0x55);
  CHECK(hart.run(1000) == Stop::wait);

  hart.set_pc(memory_base);
  hart.clear_watchpoint(data + 4, 4, false, true);
  hart.set_watchpoint(data, 4, true, false);
  REQUIRE(hart.run(2000) == Stop::watchpoint);
  CHECK(hart.pc() == memory_base + 16);
  CHECK_FALSE(hart.watched().write);

  hart.set_pc(memory_base);
  hart.clear_watchpoint(data, 4, true, false);
  CHECK(hart.run(3000) == Stop::wait);
}

TEST_CASE("watchpoints: a page that was touched before is watched all the same, and a device's register too") {
  Machine machine;
  machine.program({sw(a1, a0, 0), jal(zero, -4)});
  Hart& hart = machine.hart;
  hart.set_x(a0, data);
  REQUIRE(hart.run(100) == Stop::limit);
  hart.set_watchpoint(data, 1, true, true);
  REQUIRE(hart.run(200) == Stop::watchpoint);

  Machine device;
  device.program({lw(a1, a0, 0), nop, wfi});
  device.hart.set_x(a0, 0x1000);
  device.hart.set_watchpoint(0x1000, 4, true, false);
  REQUIRE(device.hart.run(100) == Stop::device);
  device.hart.finish_device(42);
  REQUIRE(device.hart.run(100) == Stop::watchpoint);
  CHECK(device.hart.watched().value == 42);
  CHECK(device.hart.pc() == memory_base + 4);
  CHECK(device.hart.run(100) == Stop::wait);
}
