#pragma once
// Instructions for tests, written as in assembly: addi(a0, zero, 5). Encoded by hand from volume I, chapter 24, and by nothing of the
// model.
#include <cstdint>
#include <initializer_list>
#include <vector>

namespace tessera::riscv::assembly {

enum Register : std::uint32_t {
  zero,
  ra,
  sp,
  gp,
  tp,
  t0,
  t1,
  t2,
  s0,
  s1,
  a0,
  a1,
  a2,
  a3,
  a4,
  a5,
  a6,
  a7,
  s2,
  s3,
  s4,
  s5,
  s6,
  s7,
  s8,
  s9,
  s10,
  s11,
  t3,
  t4,
  t5,
  t6
};

constexpr std::uint32_t bits(std::int32_t value) { return static_cast<std::uint32_t>(value); }

constexpr std::uint32_t r_type(std::uint32_t opcode, std::uint32_t funct3, std::uint32_t funct7, Register rd, Register rs1, Register rs2) {
  return funct7 << 25 | rs2 << 20 | rs1 << 15 | funct3 << 12 | rd << 7 | opcode;
}
constexpr std::uint32_t i_type(std::uint32_t opcode, std::uint32_t funct3, Register rd, Register rs1, std::int32_t imm) {
  return bits(imm) << 20 | rs1 << 15 | funct3 << 12 | rd << 7 | opcode;
}
constexpr std::uint32_t s_type(std::uint32_t funct3, Register rs2, Register rs1, std::int32_t imm) {
  return (bits(imm) >> 5 & 0x7fU) << 25 | rs2 << 20 | rs1 << 15 | funct3 << 12 | (bits(imm) & 0x1fU) << 7 | 0x23;
}
constexpr std::uint32_t b_type(std::uint32_t funct3, Register rs1, Register rs2, std::int32_t offset) {
  const std::uint32_t o = bits(offset);
  return (o >> 12 & 1U) << 31 | (o >> 5 & 0x3fU) << 25 | rs2 << 20 | rs1 << 15 | funct3 << 12 | (o >> 1 & 0xfU) << 8 | (o >> 11 & 1U) << 7 |
         0x63;
}

/// Offsets in the places that compressed jumps and branches have for them.
constexpr std::uint32_t c_jump_offset(std::int32_t offset) {
  const std::uint32_t o = bits(offset);
  return (o >> 11 & 1U) << 12 | (o >> 4 & 1U) << 11 | (o >> 8 & 3U) << 9 | (o >> 10 & 1U) << 8 | (o >> 6 & 1U) << 7 | (o >> 7 & 1U) << 6 |
         (o >> 1 & 7U) << 3 | (o >> 5 & 1U) << 2;
}
constexpr std::uint32_t c_branch_offset(std::int32_t offset) {
  const std::uint32_t o = bits(offset);
  return (o >> 8 & 1U) << 12 | (o >> 3 & 3U) << 10 | (o >> 6 & 3U) << 5 | (o >> 1 & 3U) << 3 | (o >> 5 & 1U) << 2;
}
constexpr std::uint32_t c_j(std::int32_t offset) { return 0xa001 | c_jump_offset(offset); }
constexpr std::uint32_t c_beqz(Register rs1, std::int32_t offset) { return 0xc001 | (rs1 - 8U) << 7 | c_branch_offset(offset); }
constexpr std::uint32_t lui(Register rd, std::uint32_t upper) { return upper << 12 | rd << 7 | 0x37; }
constexpr std::uint32_t auipc(Register rd, std::uint32_t upper) { return upper << 12 | rd << 7 | 0x17; }
constexpr std::uint32_t jal(Register rd, std::int32_t offset) {
  const std::uint32_t o = bits(offset);
  return (o >> 20 & 1U) << 31 | (o >> 1 & 0x3ffU) << 21 | (o >> 11 & 1U) << 20 | (o >> 12 & 0xffU) << 12 | rd << 7 | 0x6f;
}
constexpr std::uint32_t jalr(Register rd, Register rs1, std::int32_t offset) { return i_type(0x67, 0, rd, rs1, offset); }
constexpr std::uint32_t beq(Register a, Register b, std::int32_t offset) { return b_type(0, a, b, offset); }
constexpr std::uint32_t bne(Register a, Register b, std::int32_t offset) { return b_type(1, a, b, offset); }
constexpr std::uint32_t lb(Register rd, Register rs1, std::int32_t offset) { return i_type(3, 0, rd, rs1, offset); }
constexpr std::uint32_t lh(Register rd, Register rs1, std::int32_t offset) { return i_type(3, 1, rd, rs1, offset); }
constexpr std::uint32_t lw(Register rd, Register rs1, std::int32_t offset) { return i_type(3, 2, rd, rs1, offset); }
constexpr std::uint32_t ld(Register rd, Register rs1, std::int32_t offset) { return i_type(3, 3, rd, rs1, offset); }
constexpr std::uint32_t lbu(Register rd, Register rs1, std::int32_t offset) { return i_type(3, 4, rd, rs1, offset); }
constexpr std::uint32_t lhu(Register rd, Register rs1, std::int32_t offset) { return i_type(3, 5, rd, rs1, offset); }
constexpr std::uint32_t lwu(Register rd, Register rs1, std::int32_t offset) { return i_type(3, 6, rd, rs1, offset); }
constexpr std::uint32_t sb(Register rs2, Register rs1, std::int32_t offset) { return s_type(0, rs2, rs1, offset); }
constexpr std::uint32_t sh(Register rs2, Register rs1, std::int32_t offset) { return s_type(1, rs2, rs1, offset); }
constexpr std::uint32_t sw(Register rs2, Register rs1, std::int32_t offset) { return s_type(2, rs2, rs1, offset); }
constexpr std::uint32_t sd(Register rs2, Register rs1, std::int32_t offset) { return s_type(3, rs2, rs1, offset); }
constexpr std::uint32_t addi(Register rd, Register rs1, std::int32_t imm) { return i_type(0x13, 0, rd, rs1, imm); }
constexpr std::uint32_t slli(Register rd, Register rs1, std::int32_t by) { return i_type(0x13, 1, rd, rs1, by); }
constexpr std::uint32_t add(Register rd, Register rs1, Register rs2) { return r_type(0x33, 0, 0, rd, rs1, rs2); }
constexpr std::uint32_t mul(Register rd, Register rs1, Register rs2) { return r_type(0x33, 0, 1, rd, rs1, rs2); }
constexpr std::uint32_t div(Register rd, Register rs1, Register rs2) { return r_type(0x33, 4, 1, rd, rs1, rs2); }
constexpr std::uint32_t divw(Register rd, Register rs1, Register rs2) { return r_type(0x3b, 4, 1, rd, rs1, rs2); }
constexpr std::uint32_t lr_w(Register rd, Register rs1) { return r_type(0x2f, 2, 0x08, rd, rs1, zero); }
constexpr std::uint32_t sc_w(Register rd, Register rs2, Register rs1) { return r_type(0x2f, 2, 0x0c, rd, rs1, rs2); }
constexpr std::uint32_t amoadd_w(Register rd, Register rs2, Register rs1) { return r_type(0x2f, 2, 0, rd, rs1, rs2); }
constexpr std::uint32_t csrrw(Register rd, std::uint32_t csr, Register rs1) { return csr << 20 | rs1 << 15 | 1U << 12 | rd << 7 | 0x73; }
constexpr std::uint32_t csrrs(Register rd, std::uint32_t csr, Register rs1) { return csr << 20 | rs1 << 15 | 2U << 12 | rd << 7 | 0x73; }
constexpr std::uint32_t csrrc(Register rd, std::uint32_t csr, Register rs1) { return csr << 20 | rs1 << 15 | 3U << 12 | rd << 7 | 0x73; }
constexpr std::uint32_t csrrwi(Register rd, std::uint32_t csr, std::uint32_t imm) {
  return csr << 20 | imm << 15 | 5U << 12 | rd << 7 | 0x73;
}
constexpr std::uint32_t csrrsi(Register rd, std::uint32_t csr, std::uint32_t imm) {
  return csr << 20 | imm << 15 | 6U << 12 | rd << 7 | 0x73;
}
constexpr std::uint32_t csrrci(Register rd, std::uint32_t csr, std::uint32_t imm) {
  return csr << 20 | imm << 15 | 7U << 12 | rd << 7 | 0x73;
}
inline constexpr std::uint32_t nop = 0x13, fence = 0x0ff0'000f, fence_i = 0x100f, ecall = 0x73, ebreak = 0x0010'0073, mret = 0x3020'0073,
                               wfi = 0x1050'0073, ret = 0x8067;

}  // namespace tessera::riscv::assembly
