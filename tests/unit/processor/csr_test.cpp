// Control and status registers: what reads and writes do, by instruction.
#include <catch2/catch.hpp>

#include "unit/processor/machine.hpp"

using namespace tessera;
using namespace tessera::riscv;
using namespace tessera::riscv::assembly;

TEST_CASE("csr: write, set and clear give the old value and change what they name") {
  Machine machine;
  machine.program({csrrw(a1, csr::mscratch, a0), csrrs(a2, csr::mscratch, s0), csrrc(a3, csr::mscratch, s1), csrrwi(a4, csr::mscratch, 21),
                   csrrsi(a5, csr::mscratch, 10), csrrci(a6, csr::mscratch, 3), csrrs(a7, csr::mscratch, zero)});
  Hart& hart = machine.hart;
  hart.set_x(a0, 0xf0f0);
  hart.set_x(s0, 0x0f00);
  hart.set_x(s1, 0x00f0);
  machine.steps(7);
  CHECK(hart.x(a1) == 0);
  CHECK(hart.x(a2) == 0xf0f0);
  CHECK(hart.x(a3) == 0xfff0);
  CHECK(hart.x(a4) == 0xff00);
  CHECK(hart.x(a5) == 21);
  CHECK(hart.x(a6) == 31);
  CHECK(hart.x(a7) == 28);
  CHECK(hart.csr(csr::mscratch) == 28);
}

TEST_CASE("csr: one register for both operands is read before it is written") {
  Machine machine;
  machine.program({csrrw(a0, csr::mscratch, a0), csrrw(a0, csr::mscratch, a0)});
  machine.hart.set_x(a0, 5);
  machine.steps(1);
  CHECK(machine.hart.x(a0) == 0);
  machine.steps(1);
  CHECK(machine.hart.x(a0) == 5);
}

TEST_CASE("csr: a read-only register may be read, but written by nothing, and what is not there is illegal") {
  const auto illegal = [](std::uint32_t instruction) {
    Machine machine;
    machine.program({instruction});
    machine.hart.set_x(a0, 1);
    machine.steps(1);
    if (machine.hart.pc() != handler) return false;
    CHECK(machine.hart.csr(csr::mcause) == 2);
    CHECK(machine.hart.csr(csr::mtval) == instruction);
    return true;
  };
  CHECK_FALSE(illegal(csrrs(a1, csr::mhartid, zero)));
  CHECK_FALSE(illegal(csrrsi(a1, csr::mhartid, 0)));
  CHECK_FALSE(illegal(csrrc(a1, csr::mhartid, zero)));
  CHECK(illegal(csrrs(a1, csr::mhartid, a0)));
  CHECK(illegal(csrrw(a1, csr::mhartid, zero)));
  CHECK(illegal(csrrwi(a1, csr::mhartid, 0)));
  CHECK(illegal(csrrsi(a1, csr::cycle, 1)));
  CHECK_FALSE(illegal(csrrs(a1, csr::cycle, zero)));
  CHECK(illegal(csrrs(a1, 0xc01, zero)));                          // time
  CHECK(illegal(csrrs(a1, 0x180, zero)));                          // satp
  CHECK(illegal(csrrw(zero, 0x3a0, a0)));                          // pmpcfg0
  CHECK(illegal(csrrs(a1, csr::mcycle + csr::upper_half, zero)));  // RV32's
  CHECK(illegal(csrrs(a1, csr::mstatush, zero)));                  // RV32's
  CHECK_FALSE(illegal(csrrw(a1, csr::misa, a0)));
  CHECK_FALSE(illegal(csrrw(a1, csr::mhpmcounter31, a0)));
}

TEST_CASE("csr: fields that are not there stay as they are") {
  Machine wide, narrow(false);
  const auto after_ones = [](Machine& machine, unsigned number) {
    REQUIRE(machine.hart.set_csr(number, ~0ULL));
    return machine.hart.csr(number);
  };
  CHECK(after_ones(wide, csr::mstatus) == 0x1888);
  CHECK(after_ones(wide, csr::mie) == 0x888);
  CHECK(after_ones(wide, csr::mip) == 0);
  CHECK(after_ones(wide, csr::mtvec) == ~2ULL);
  CHECK(after_ones(wide, csr::mepc) == ~1ULL);
  CHECK(after_ones(wide, csr::misa) == (2ULL << 62 | 0x1105));  // MXL 2; A, C, I, M
  CHECK(after_ones(wide, csr::mcountinhibit) == 0);
  CHECK(after_ones(narrow, csr::misa) == (1ULL << 30 | 0x1105));
  CHECK(after_ones(narrow, csr::mscratch) == 0xffff'ffff);
  CHECK(after_ones(narrow, csr::mepc) == 0xffff'fffe);
  CHECK_FALSE(wide.hart.set_csr(csr::mhartid, 1));
  CHECK(wide.hart.csr(0x180) == 0);
}

TEST_CASE("csr: minstret counts what has retired before, and begins at what is written behind the writing instruction") {
  Machine machine;
  machine.program({nop, nop, csrrs(a0, csr::minstret, zero), csrrwi(zero, csr::minstret, 20), csrrs(a1, csr::minstret, zero),
                   csrrs(a2, csr::instret, zero)});
  machine.steps(6);
  CHECK(machine.hart.x(a0) == 2);
  CHECK(machine.hart.x(a1) == 20);
  CHECK(machine.hart.x(a2) == 21);
  CHECK(machine.hart.instructions() == 6);
}

TEST_CASE("csr: mcycle is the hart's time at the instruction, and begins at what is written behind the writing instruction") {
  HartConfig config;
  config.timing.csr = 3;
  Machine machine(config);
  machine.program(
      {nop, nop, csrrs(a0, csr::mcycle, zero), csrrw(zero, csr::mcycle, s0), csrrs(a1, csr::mcycle, zero), csrrs(a2, csr::cycle, zero)});
  machine.hart.set_x(s0, 1000);
  machine.steps(6);
  CHECK(machine.hart.x(a0) == 2);
  CHECK(machine.hart.x(a1) == 1000);
  CHECK(machine.hart.x(a2) == 1003);
  CHECK(machine.hart.cycles() == 14);
}

TEST_CASE("csr: RV32 has its counters in halves") {
  Machine machine(false);
  machine.program({csrrw(zero, csr::mcycle + csr::upper_half, s0), csrrw(zero, csr::mcycle, s1), csrrs(a0, csr::mcycle, zero),
                   csrrs(a1, csr::mcycle + csr::upper_half, zero), csrrs(a2, csr::cycle + csr::upper_half, zero)});
  machine.hart.set_x(s0, 7);
  machine.hart.set_x(s1, 0xffff'ffff);
  machine.steps(5);
  CHECK(machine.hart.x(a0) == 0xffff'ffff);
  CHECK(machine.hart.x(a1) == 8);  // the lower half has run over
  CHECK(machine.hart.x(a2) == 8);
}
