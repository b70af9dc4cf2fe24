// What the hart does with its registers, its memory, and the calls that cut its run.
#include <catch2/catch.hpp>

#include "unit/processor/machine.hpp"

using namespace tessera;
using namespace tessera::riscv;
using namespace tessera::riscv::assembly;

TEST_CASE("hart: a loop sums the first ten numbers on both widths") {
  for (const bool wide : {false, true}) {
    Machine machine(wide);
    machine.program({addi(a0, zero, 0), addi(a1, zero, 10), add(a0, a0, a1), addi(a1, a1, -1), bne(a1, zero, -8), wfi});
    REQUIRE(machine.hart.run(10'000) == Stop::wait);
    CHECK(machine.hart.x(a0) == 55);
    CHECK(machine.hart.instructions() == 2 + 3 * 10 + 1);
    CHECK(machine.hart.pc() == memory_base + 24);
  }
}

TEST_CASE("hart: x0 stays zero, and results of 32 bits have their sign on RV64") {
  Machine machine;
  machine.program({addi(zero, zero, 5), add(a0, zero, zero), lui(a1, 0x80000), wfi});
  REQUIRE(machine.hart.run(1000) == Stop::wait);
  CHECK(machine.hart.x(zero) == 0);
  CHECK(machine.hart.x(a0) == 0);
  CHECK(machine.hart.x(a1) == 0xffff'ffff'8000'0000);
}

TEST_CASE("hart: a device's load waits before it takes effect, with the cycle it begins at") {
  Machine machine;
  machine.program({lui(a0, 0x40000), addi(a1, zero, 7), lw(a2, a0, 8), sw(a1, a0, 12), wfi});
  Hart& hart = machine.hart;
  REQUIRE(hart.run(1000) == Stop::device);
  CHECK(hart.device().address == 0x4000'0008);
  CHECK(hart.device().bytes == 4);
  CHECK_FALSE(hart.device().write);
  CHECK(hart.cycles() == 2);
  CHECK(hart.instructions() == 2);
  CHECK(hart.pc() == memory_base + 8);
  CHECK(hart.run(1000) == Stop::device);
  hart.skip_to(100);
  hart.finish_device(0x1'8000'0001);
  CHECK(hart.x(a2) == 0xffff'ffff'8000'0001);
  CHECK(hart.instructions() == 3);
  REQUIRE(hart.run(1000) == Stop::device);
  CHECK(hart.cycles() == 101);
  CHECK(hart.device().write);
  CHECK(hart.device().address == 0x4000'000c);
  CHECK(hart.device().value == 7);
  hart.finish_device(0);
  CHECK(hart.run(1000) == Stop::wait);
}

TEST_CASE("hart: what a device gives is extended as the load has it") {
  const struct {
    std::uint32_t load;
    std::uint64_t value;
  } cases[] = {{lb(a1, a0, 0), 0xffff'ffff'ffff'ff88}, {lbu(a1, a0, 0), 0x88},
               {lh(a1, a0, 0), 0xffff'ffff'ffff'9988}, {lhu(a1, a0, 0), 0x9988},
               {lw(a1, a0, 0), 0xffff'ffff'bbaa'9988}, {lwu(a1, a0, 0), 0xbbaa'9988},
               {ld(a1, a0, 0), 0xffee'ddcc'bbaa'9988}};
  for (const auto& [load, value] : cases) {
    Machine machine;
    machine.program({load});
    machine.hart.set_x(a0, 0x1000);
    REQUIRE(machine.hart.step() == Stop::device);
    machine.hart.finish_device(0xffee'ddcc'bbaa'9988);
    CHECK(machine.hart.x(a1) == value);
  }
  Machine narrow(false);
  narrow.program({lb(a1, a0, 0)});
  narrow.hart.set_x(a0, 0x1000);
  REQUIRE(narrow.hart.step() == Stop::device);
  narrow.hart.finish_device(0x88);
  CHECK(narrow.hart.x(a1) == 0xffff'ff88);
}
