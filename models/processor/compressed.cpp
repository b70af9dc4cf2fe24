#include "processor/decode.hpp"

namespace tessera::riscv {

namespace {

constexpr std::uint32_t zero = 0, ra = 1, sp = 2;

/// One bit or field of a compressed instruction, put where its immediate has it.
constexpr std::uint32_t put(std::uint32_t bits, unsigned high, unsigned low, unsigned at) {
  return (bits >> low & ((1U << (high - low + 1)) - 1)) << at;
}
constexpr std::uint32_t negative(std::uint32_t value, unsigned sign) { return (value >> sign & 1U) == 0 ? value : value | ~0U << sign; }

// The formats of 32-bit instructions that compressed ones stand for.
constexpr std::uint32_t r_type(std::uint32_t funct7, std::uint32_t rs2, std::uint32_t rs1, std::uint32_t funct3, std::uint32_t rd,
                               std::uint32_t opcode) {
  return funct7 << 25 | rs2 << 20 | rs1 << 15 | funct3 << 12 | rd << 7 | opcode;
}
constexpr std::uint32_t i_type(std::uint32_t imm, std::uint32_t rs1, std::uint32_t funct3, std::uint32_t rd, std::uint32_t opcode) {
  return imm << 20 | rs1 << 15 | funct3 << 12 | rd << 7 | opcode;
}
constexpr std::uint32_t s_type(std::uint32_t imm, std::uint32_t rs2, std::uint32_t rs1, std::uint32_t funct3) {
  return r_type(imm >> 5 & 0x7fU, rs2, rs1, funct3, imm & 0x1fU, 0x23);
}
constexpr std::uint32_t b_type(std::uint32_t imm, std::uint32_t rs1, std::uint32_t funct3) {
  return r_type(put(imm, 12, 12, 6) | put(imm, 10, 5, 0), zero, rs1, funct3, put(imm, 4, 1, 1) | put(imm, 11, 11, 0), 0x63);
}
constexpr std::uint32_t j_type(std::uint32_t imm, std::uint32_t rd) {
  return put(imm, 20, 20, 31) | put(imm, 10, 1, 21) | put(imm, 11, 11, 20) | put(imm, 19, 12, 12) | rd << 7 | 0x6f;
}
constexpr std::uint32_t addi(std::uint32_t rd, std::uint32_t rs1, std::uint32_t imm) { return i_type(imm, rs1, 0, rd, 0x13); }
constexpr std::uint32_t load(std::uint32_t funct3, std::uint32_t rd, std::uint32_t rs1, std::uint32_t imm) {
  return i_type(imm, rs1, funct3, rd, 0x03);
}
constexpr std::uint32_t jalr(std::uint32_t rd, std::uint32_t rs1) { return i_type(0, rs1, 0, rd, 0x67); }
constexpr std::uint32_t word = 2, doubleword = 3;

// Fields of compressed instructions.
constexpr std::uint32_t rd_of(std::uint32_t c) { return c >> 7 & 0x1fU; }
constexpr std::uint32_t rs2_of(std::uint32_t c) { return c >> 2 & 0x1fU; }
constexpr std::uint32_t short_upper(std::uint32_t c) { return 8 + (c >> 7 & 7U); }  // rd' or rs1', x8 to x15
constexpr std::uint32_t short_lower(std::uint32_t c) { return 8 + (c >> 2 & 7U); }  // rd' or rs2'
constexpr std::uint32_t imm6(std::uint32_t c) { return negative(put(c, 12, 12, 5) | put(c, 6, 2, 0), 5); }
constexpr std::uint32_t word_offset(std::uint32_t c) { return put(c, 12, 10, 3) | put(c, 6, 6, 2) | put(c, 5, 5, 6); }
constexpr std::uint32_t doubleword_offset(std::uint32_t c) { return put(c, 12, 10, 3) | put(c, 6, 5, 6); }
constexpr std::uint32_t jump_offset(std::uint32_t c) {
  return negative(put(c, 12, 12, 11) | put(c, 11, 11, 4) | put(c, 10, 9, 8) | put(c, 8, 8, 10) | put(c, 7, 7, 6) | put(c, 6, 6, 7) |
                      put(c, 5, 3, 1) | put(c, 2, 2, 5),
                  11);
}
constexpr std::uint32_t branch_offset(std::uint32_t c) {
  return negative(put(c, 12, 12, 8) | put(c, 11, 10, 3) | put(c, 6, 5, 6) | put(c, 4, 3, 1) | put(c, 2, 2, 5), 8);
}

std::uint32_t quadrant_0(std::uint32_t c, bool wide) {
  switch (c >> 13) {
    case 0: {  // c.addi4spn
      const std::uint32_t imm = put(c, 12, 11, 4) | put(c, 10, 7, 6) | put(c, 6, 6, 2) | put(c, 5, 5, 3);
      return imm == 0 ? 0 : addi(short_lower(c), sp, imm);
    }
    case 2: return load(word, short_lower(c), short_upper(c), word_offset(c));                           // c.lw
    case 3: return wide ? load(doubleword, short_lower(c), short_upper(c), doubleword_offset(c)) : 0;    // c.ld
    case 6: return s_type(word_offset(c), short_lower(c), short_upper(c), word);                         // c.sw
    case 7: return wide ? s_type(doubleword_offset(c), short_lower(c), short_upper(c), doubleword) : 0;  // c.sd
    default: return 0;
  }
}

/// c.srli, c.srai, c.andi and the operations of two registers.
std::uint32_t arithmetic(std::uint32_t c, bool wide) {
  const std::uint32_t rd = short_upper(c), rs2 = short_lower(c), shift = imm6(c) & 0x3fU;
  switch (c >> 10 & 3U) {
    case 0: return i_type(shift, rd, 5, rd, 0x13);
    case 1: return i_type(0x400 | shift, rd, 5, rd, 0x13);
    case 2: return i_type(imm6(c), rd, 7, rd, 0x13);
    default: break;
  }
  const std::uint32_t operation = c >> 5 & 3U;
  if ((c >> 12 & 1U) == 0) {
    constexpr std::uint32_t sub = 0x20;
    constexpr std::uint32_t funct3[] = {0, 4, 6, 7};  // sub, xor, or, and
    return r_type(operation == 0 ? sub : 0, rs2, rd, funct3[operation], rd, 0x33);
  }
  if (!wide || operation > 1) return 0;
  return r_type(operation == 0 ? 0x20 : 0, rs2, rd, 0, rd, 0x3b);  // c.subw, c.addw
}

std::uint32_t quadrant_1(std::uint32_t c, bool wide) {
  const std::uint32_t rd = rd_of(c);
  switch (c >> 13) {
    case 0: return addi(rd, rd, imm6(c));  // c.addi, c.nop
    case 1:
      if (!wide) return j_type(jump_offset(c), ra);           // c.jal
      return rd == 0 ? 0 : i_type(imm6(c), rd, 0, rd, 0x1b);  // c.addiw
    case 2: return addi(rd, zero, imm6(c));                   // c.li
    case 3:
      if (rd == sp) {  // c.addi16sp
        const std::uint32_t imm = negative(put(c, 12, 12, 9) | put(c, 6, 6, 4) | put(c, 5, 5, 6) | put(c, 4, 3, 7) | put(c, 2, 2, 5), 9);
        return imm == 0 ? 0 : addi(sp, sp, imm);
      }
      return imm6(c) == 0 ? 0 : imm6(c) << 12 | rd << 7 | 0x37;  // c.lui
    case 4: return arithmetic(c, wide);
    case 5: return j_type(jump_offset(c), zero);                  // c.j
    case 6: return b_type(branch_offset(c), short_upper(c), 0);   // c.beqz
    default: return b_type(branch_offset(c), short_upper(c), 1);  // c.bnez
  }
}

/// c.jr, c.mv, c.ebreak, c.jalr, c.add
std::uint32_t register_form(std::uint32_t c) {
  constexpr std::uint32_t ebreak = 0x0010'0073;
  const std::uint32_t rd = rd_of(c), rs2 = rs2_of(c);
  const bool adds = (c >> 12 & 1U) != 0;
  if (rs2 != 0) return r_type(0, rs2, adds ? rd : zero, 0, rd, 0x33);
  if (rd == 0) return adds ? ebreak : 0;
  return jalr(adds ? ra : zero, rd);
}

std::uint32_t quadrant_2(std::uint32_t c, bool wide) {
  const std::uint32_t rd = rd_of(c);
  switch (c >> 13) {
    case 0: return i_type(imm6(c) & 0x3fU, rd, 1, rd, 0x13);                                                                // c.slli
    case 2: return rd == 0 ? 0 : load(word, rd, sp, put(c, 12, 12, 5) | put(c, 6, 4, 2) | put(c, 3, 2, 6));                 // c.lwsp
    case 3: return rd == 0 || !wide ? 0 : load(doubleword, rd, sp, put(c, 12, 12, 5) | put(c, 6, 5, 3) | put(c, 4, 2, 6));  // c.ldsp
    case 4: return register_form(c);
    case 6: return s_type(put(c, 12, 9, 2) | put(c, 8, 7, 6), rs2_of(c), sp, word);                    // c.swsp
    case 7: return wide ? s_type(put(c, 12, 10, 3) | put(c, 9, 7, 6), rs2_of(c), sp, doubleword) : 0;  // c.sdsp
    default: return 0;
  }
}

}  // namespace

std::uint32_t expand_compressed(std::uint16_t bits, bool wide) {
  switch (bits & 3U) {
    case 0: return quadrant_0(bits, wide);
    case 1: return quadrant_1(bits, wide);
    default: return quadrant_2(bits, wide);
  }
}

}  // namespace tessera::riscv
