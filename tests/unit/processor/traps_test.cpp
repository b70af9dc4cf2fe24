// Exceptions, interrupts and WFI against volume II, chapter 3.
#include <catch2/catch.hpp>

#include "unit/processor/machine.hpp"

using namespace tessera;
using namespace tessera::riscv;
using namespace tessera::riscv::assembly;

namespace {

constexpr std::uint64_t mie_bit = 8, mpie_bit = 0x80, mpp = 0x1800;  // of mstatus

/// Steps over `before` instructions and into the trap, and says what the handler would see.
struct Trapped {
  std::uint64_t cause, pc, value;
  bool operator==(const Trapped&) const = default;
};
std::ostream& operator<<(std::ostream& out, const Trapped& trapped) {
  return out << std::hex << "cause " << trapped.cause << " pc " << trapped.pc << " value " << trapped.value;
}
Trapped trap_behind(Machine& machine, unsigned before) {
  machine.steps(before + 1);
  REQUIRE(machine.hart.pc() == handler);
  REQUIRE(machine.hart.instructions() == before);
  return {machine.hart.csr(csr::mcause), machine.hart.csr(csr::mepc), machine.hart.csr(csr::mtval)};
}

}  // namespace

TEST_CASE("traps: what is no instruction traps with its bits, and nothing of it happens") {
  for (const std::uint32_t bits :
       {0x0000'0000U, 0xffff'ffffU, 0x0000'007fU, 0x0200'1013U | 0xfc00'0000U, 0x7b20'0073U /* dret */, 0x1020'0073U /* sret */}) {
    Machine machine;
    machine.program({nop, bits});
    const std::uint64_t seen = (bits & 3U) == 3 ? bits : bits & 0xffffU;
    CHECK(trap_behind(machine, 1) == Trapped{2, memory_base + 4, seen});
  }
}

TEST_CASE("traps: RV32 has no instruction of RV64, nor shifts by 32 and more") {
  for (const std::uint32_t bits :
       {ld(a0, a0, 0), lwu(a0, a0, 0), sd(a0, a0, 0), slli(a0, a0, 32), divw(a0, a0, a0), i_type(0x13, 5, a0, a0, 0x420)}) {
    Machine narrow(false);
    narrow.program({bits});
    CHECK(trap_behind(narrow, 0) == Trapped{2, memory_base, bits});
  }
}

TEST_CASE("traps: reserved compressed instructions are illegal") {
  // c.addi4spn of 0; c.lui and c.addi16sp of 0; c.lwsp and c.jr with x0; the reserved places of quadrants 0 and 1
  for (const std::uint32_t half : {0x0000U, 0x0004U, 0x6081U, 0x6101U, 0x4002U, 0x8002U, 0x8000U, 0x9c41U}) {
    Machine machine;
    machine.program({half});
    CHECK(trap_behind(machine, 0) == Trapped{2, memory_base, half});
  }
  Machine wide, narrow(false);
  wide.program({0x2001});  // c.addiw with x0, on RV32 a jump
  CHECK(trap_behind(wide, 0) == Trapped{2, memory_base, 0x2001});
  narrow.program({0x6000});  // c.flw's place
  CHECK(trap_behind(narrow, 0) == Trapped{2, memory_base, 0x6000});
  Machine shifts(false);
  shifts.program({0x1506});  // c.slli a0, 33
  CHECK(trap_behind(shifts, 0) == Trapped{2, memory_base, 0x1506});
}

TEST_CASE("traps: calls and breakpoints") {
  Machine calls, breaks, short_break;
  calls.program({nop, ecall});
  CHECK(trap_behind(calls, 1) == Trapped{11, memory_base + 4, 0});
  breaks.program({nop, ebreak});
  CHECK(trap_behind(breaks, 1) == Trapped{3, memory_base + 4, memory_base + 4});
  short_break.program({0x9002});
  CHECK(trap_behind(short_break, 0) == Trapped{3, memory_base, memory_base});
}

TEST_CASE("traps: a fetch where no memory is traps there, and where the second half is missing at that half") {
  Machine machine;
  machine.program({jalr(zero, a0, 0)});
  machine.hart.set_x(a0, 0x1000);
  machine.steps(2);
  CHECK(machine.hart.csr(csr::mcause) == 1);
  CHECK(machine.hart.csr(csr::mepc) == 0x1000);
  CHECK(machine.hart.csr(csr::mtval) == 0x1000);

  Machine cut;
  const std::uint64_t last = memory_base + 0xfffe;
  cut.poke<std::uint16_t>(last, nop);
  cut.hart.set_pc(last);
  CHECK(trap_behind(cut, 0) == Trapped{1, last, last + 2});
  Machine whole;
  whole.poke<std::uint16_t>(last, 0x0505);  // c.addi a0, 1
  whole.hart.set_pc(last);
  whole.steps(1);
  CHECK(whole.hart.x(a0) == 1);
}

TEST_CASE("traps: a device's load and store that fail are access faults, misaligned ones are so called") {
  Machine machine;
  machine.program({lw(a1, a0, 0), sw(a1, a0, 4)});
  machine.hart.set_x(a0, 0x1000);
  REQUIRE(machine.hart.step() == Stop::device);
  machine.hart.fail_device();
  CHECK(machine.hart.pc() == handler);
  CHECK(machine.hart.csr(csr::mcause) == 5);
  CHECK(machine.hart.csr(csr::mtval) == 0x1000);
  CHECK(machine.hart.instructions() == 0);
  machine.hart.set_pc(memory_base + 4);
  REQUIRE(machine.hart.step() == Stop::device);
  machine.hart.fail_device();
  CHECK(machine.hart.csr(csr::mcause) == 7);
  CHECK(machine.hart.csr(csr::mtval) == 0x1004);

  Machine load, store;
  load.program({lh(a1, a0, 1)});
  load.hart.set_x(a0, 0x1000);
  CHECK(trap_behind(load, 0) == Trapped{4, memory_base, 0x1001});
  store.program({sd(a1, a0, 4)});
  store.hart.set_x(a0, 0x1000);
  CHECK(trap_behind(store, 0) == Trapped{6, memory_base, 0x1004});
}

TEST_CASE("traps: atomic operations must be aligned, and find memory") {
  const struct {
    std::uint32_t instruction;
    std::uint64_t address, cause;
  } cases[] = {{lr_w(a1, a0), data + 2, 4}, {sc_w(a1, a2, a0), data + 2, 6}, {amoadd_w(a1, a2, a0), data + 1, 6},
               {lr_w(a1, a0), 0x1000, 5},   {sc_w(a1, a2, a0), 0x1000, 7},   {amoadd_w(a1, a2, a0), 0x1000, 7}};
  for (const auto& [instruction, address, cause] : cases) {
    Machine machine;
    machine.program({instruction});
    machine.hart.set_x(a0, address);
    CHECK(trap_behind(machine, 0) == Trapped{cause, memory_base, address});
  }
}

TEST_CASE("traps: the way in keeps MIE in MPIE and clears it, MRET brings it back and sets MPIE") {
  Machine machine;
  machine.program({ecall, nop});
  machine.put(handler, {csrrs(a0, csr::mepc, zero), addi(a0, a0, 4), csrrw(zero, csr::mepc, a0), mret});
  Hart& hart = machine.hart;
  hart.set_csr(csr::mstatus, mie_bit);
  machine.steps(1);
  CHECK(hart.csr(csr::mstatus) == (mpp | mpie_bit));
  machine.steps(4);
  CHECK(hart.pc() == memory_base + 4);
  CHECK(hart.csr(csr::mstatus) == (mpp | mpie_bit | mie_bit));
  machine.steps(1);
  CHECK(hart.pc() == memory_base + 8);

  hart.set_csr(csr::mstatus, 0);
  hart.set_pc(memory_base);
  machine.steps(1);
  CHECK(hart.csr(csr::mstatus) == mpp);
  machine.steps(4);
  CHECK(hart.csr(csr::mstatus) == (mpp | mpie_bit));
}

TEST_CASE("interrupts: of several the external comes first, then software, then timer, each between two instructions") {
  for (const bool wide : {false, true}) {
    Machine machine(wide);
    machine.program({nop, nop});
    Hart& hart = machine.hart;
    const std::uint64_t bit = wide ? 1ULL << 63 : 1ULL << 31;
    hart.set_csr(csr::mie, 0x888);
    hart.set_csr(csr::mstatus, mie_bit);
    hart.set_external_interrupt(true);
    hart.set_software_interrupt(true);
    hart.set_timer_interrupt(true);
    CHECK(hart.csr(csr::mip) == 0x888);
    const auto taken = [&] {
      hart.set_pc(memory_base + 4);
      hart.set_csr(csr::mstatus, mie_bit);
      machine.steps(1);
      CHECK(hart.pc() == handler);
      CHECK(hart.csr(csr::mepc) == memory_base + 4);
      CHECK(hart.csr(csr::mtval) == 0);
      return hart.csr(csr::mcause);
    };
    CHECK(taken() == (bit | 11));
    hart.set_external_interrupt(false);
    CHECK(taken() == (bit | 3));
    hart.set_software_interrupt(false);
    CHECK(taken() == (bit | 7));
    hart.set_timer_interrupt(false);
    hart.set_pc(memory_base);
    hart.set_csr(csr::mstatus, mie_bit);
    machine.steps(1);
    CHECK(hart.pc() == memory_base + 4);
  }
}

TEST_CASE("interrupts: neither without mstatus.MIE nor without their line's enable") {
  Machine machine;
  machine.program({nop, nop, csrrsi(zero, csr::mstatus, 8), nop});
  Hart& hart = machine.hart;
  hart.set_timer_interrupt(true);
  hart.set_csr(csr::mstatus, mie_bit);
  machine.steps(1);
  CHECK(hart.pc() == memory_base + 4);
  hart.set_csr(csr::mstatus, 0);
  hart.set_csr(csr::mie, 0x80);
  machine.steps(1);
  CHECK(hart.pc() == memory_base + 8);
  machine.steps(1);  // the CSR instruction enables it: taken before the next
  CHECK(hart.pc() == memory_base + 12);
  machine.steps(1);
  CHECK(hart.pc() == handler);
  CHECK(hart.csr(csr::mepc) == memory_base + 12);
}

TEST_CASE("interrupts: vectored, each has its place, exceptions go to the base") {
  Machine machine;
  machine.program({nop, ecall});
  Hart& hart = machine.hart;
  hart.set_csr(csr::mtvec, handler | 1);
  hart.set_csr(csr::mie, 0x888);
  hart.set_csr(csr::mstatus, mie_bit);
  hart.set_timer_interrupt(true);
  machine.steps(1);
  CHECK(hart.pc() == handler + 4 * 7);
  hart.set_timer_interrupt(false);
  hart.set_pc(memory_base + 4);
  machine.steps(1);
  CHECK(hart.pc() == handler);
}

TEST_CASE("interrupts: WFI waits for one that is enabled on its line, and goes on behind itself") {
  Machine machine;
  machine.program({wfi, addi(a0, a0, 1), wfi, jal(zero, 0)});
  Hart& hart = machine.hart;
  REQUIRE(hart.run(1000) == Stop::wait);
  CHECK(hart.pc() == memory_base + 4);
  CHECK(hart.run(1000) == Stop::wait);
  hart.set_timer_interrupt(true);  // not enabled
  CHECK(hart.run(1000) == Stop::wait);
  hart.set_csr(csr::mie, 0x80);
  hart.skip_to(500);
  CHECK(hart.run(501) == Stop::limit);  // MIE is 0: no trap
  CHECK(hart.x(a0) == 1);
  CHECK(hart.cycles() == 501);
  CHECK(hart.run(1000) == Stop::limit);  // it is still pending: the second WFI does not wait
  hart.set_pc(memory_base);
  hart.set_csr(csr::mstatus, mie_bit);
  hart.set_timer_interrupt(false);
  REQUIRE(hart.run(2000) == Stop::wait);
  hart.set_timer_interrupt(true);
  machine.steps(1);
  CHECK(hart.pc() == handler);
  CHECK(hart.csr(csr::mepc) == memory_base + 4);
}

TEST_CASE("faults: a trap without a handler, and one before the handler's first instruction has retired, end the run") {
  Machine machine;
  machine.program({nop, ecall});
  Hart& hart = machine.hart;
  hart.set_csr(csr::mtvec, 0);
  REQUIRE(hart.run(1000) == Stop::fault);
  CHECK(hart.fault().cause == 11);
  CHECK(hart.fault().pc == memory_base + 4);
  CHECK(hart.pc() == memory_base + 4);
  CHECK(hart.csr(csr::mcause) == 0);
  CHECK(hart.run(2000) == Stop::fault);

  Machine twice;
  twice.program({ecall});
  twice.hart.set_csr(csr::mtvec, 0x1000);
  REQUIRE(twice.hart.run(1000) == Stop::fault);
  CHECK(twice.hart.fault().cause == 1);
  CHECK(twice.hart.fault().value == 0x1000);
  CHECK(twice.hart.csr(csr::mepc) == memory_base);

  Machine later;  // the second instruction of the handler may trap
  later.program({ecall});
  later.put(handler, {addi(a0, a0, 1), ecall});
  REQUIRE(later.hart.run(100) == Stop::limit);
  CHECK(later.hart.x(a0) > 1);
}

TEST_CASE("faults: an access that fails without a handler is one") {
  Machine machine;
  machine.program({lw(a0, zero, 0)});
  machine.hart.set_csr(csr::mtvec, 0);
  REQUIRE(machine.hart.run(1000) == Stop::device);
  machine.hart.fail_device();
  REQUIRE(machine.hart.run(1000) == Stop::fault);
  CHECK(machine.hart.fault().cause == 5);
}
