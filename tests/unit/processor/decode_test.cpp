// Immediates of every format, to their ends: random programs jump and branch but a little way.
#include <catch2/catch.hpp>

#include "processor/decode.hpp"
#include "unit/processor/assembler.hpp"

using namespace tessera::riscv;
using namespace tessera::riscv::assembly;

namespace {

/// Encodes, decodes, and asks for the offset: all from `first` to `last` in steps.
template <class Encode>
void offsets_come_back(Op op, std::int32_t first, std::int32_t last, std::int32_t step, Encode encode, bool wide = true) {
  for (std::int32_t offset = first; offset <= last; offset += step) {
    const Instruction instruction = decode(encode(offset), wide);
    if (instruction.op == op && instruction.imm == offset) continue;
    FAIL_CHECK(name_of(op) << " of " << offset << " is " << name_of(instruction.op) << " of " << instruction.imm);
    return;
  }
}

}  // namespace

TEST_CASE("decode: immediates of 32-bit instructions") {
  offsets_come_back(Op::addi, -2048, 2047, 1, [](auto imm) { return addi(a0, a1, imm); });
  offsets_come_back(Op::lw, -2048, 2047, 1, [](auto imm) { return lw(a0, a1, imm); });
  offsets_come_back(Op::sw, -2048, 2047, 1, [](auto imm) { return sw(a0, a1, imm); });
  offsets_come_back(Op::jalr, -2048, 2047, 1, [](auto imm) { return jalr(a0, a1, imm); });
  offsets_come_back(Op::beq, -4096, 4094, 2, [](auto imm) { return beq(a0, a1, imm); });
  offsets_come_back(Op::jal, -1048576, 1048574, 2, [](auto imm) { return jal(a0, imm); });
  offsets_come_back(Op::slli, 0, 63, 1, [](auto by) { return slli(a0, a1, by); });
  offsets_come_back(
      Op::slli, 0, 31, 1, [](auto by) { return slli(a0, a1, by); }, false);
  CHECK(decode(lui(a0, 0x80001), true).imm == static_cast<std::int32_t>(0x8000'1000U));
  CHECK(decode(auipc(a0, 0x7ffff), true).imm == 0x7fff'f000);
}

TEST_CASE("decode: offsets of compressed jumps and branches") {
  offsets_come_back(Op::jal, -2048, 2046, 2, [](auto offset) { return c_j(offset); });
  offsets_come_back(Op::beq, -256, 254, 2, [](auto offset) { return c_beqz(a0, offset); });
  const Instruction jump = decode(c_j(8), true), link = decode(c_j(8) & 0x3fffU, false), branch = decode(c_beqz(a5, 8) | 0x2000U, true);
  CHECK(jump.rd == nowhere);
  CHECK(link.op == Op::jal);
  CHECK(link.rd == ra);
  CHECK(branch.op == Op::bne);
  CHECK(branch.rs1 == a5);
  CHECK(branch.rs2 == zero);
}

TEST_CASE("decode: registers, and what an instruction that reads or writes none says") {
  const Instruction sum = decode(add(s11, t6, s0), true), store = decode(sd(a7, sp, 8), true), to_x0 = decode(add(zero, t6, s0), true);
  CHECK(sum.rd == s11);
  CHECK(sum.rs1 == t6);
  CHECK(sum.rs2 == s0);
  CHECK(store.rd == nowhere);
  CHECK(store.rs1 == sp);
  CHECK(store.rs2 == a7);
  CHECK(to_x0.rd == nowhere);
  const Instruction upper = decode(lui(a0, 0xfffff), true), csr = decode(csrrwi(a0, 0x340, 31), true);
  CHECK(upper.rs1 == zero);
  CHECK(upper.rs2 == zero);
  CHECK(csr.rs1 == zero);
  CHECK(csr.imm == (31 << 12 | 0x340));
}

TEST_CASE("decode: reserved fences are fences, reserved others illegal") {
  CHECK(decode(0x8330'000fU, true).op == Op::fence);             // fence.tso
  CHECK(decode(0x1234'500fU & ~0x7000U, true).op == Op::fence);  // fields that are reserved
  CHECK(decode(fence_i | 0xfff0'0000U, true).op == Op::fence_i);
  CHECK(decode(ld(a0, a0, 0) | 0x4000U, true).op == Op::illegal);          // a load of 128 bits
  CHECK(decode(add(a0, a0, a0) | 0x0400'0000U, true).op == Op::illegal);   // funct7 of 2
  CHECK(decode(lr_w(a0, a1) | 0x0010'0000U, true).op == Op::illegal);      // LR with a second operand
  CHECK(decode(amoadd_w(a0, a1, a2) & ~0x2000U, true).op == Op::illegal);  // of a byte
  CHECK(decode(beq(a0, a1, 8) | 0x2000U, true).op == Op::illegal);         // the conditions that are missing
  CHECK(decode(0x3020'0073U | 1U << 7, true).op == Op::illegal);           // MRET with a register
}
