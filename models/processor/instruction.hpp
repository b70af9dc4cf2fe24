#pragma once
// A decoded instruction.
#include <cstdint>

namespace tessera::riscv {

enum class Op : std::uint8_t {
#define TESSERA_INSTRUCTION(name, mask, match, format, kind, width) name,
#include "processor/instructions.def"
#undef TESSERA_INSTRUCTION
  illegal
};

/// What an instruction does, as far as its time goes.
enum class Kind : std::uint8_t {
  alu,
  multiply,
  divide,
  divide_word,  ///< of 32-bit operands on RV64
  load,
  narrow_load,  ///< of a byte or halfword
  store,
  atomic,
  branch,
  jump,
  jump_register,
  csr,
  system
};

/// Where results go that are written to x0.
inline constexpr std::uint8_t nowhere = 32;

struct Instruction {
  Op op = Op::illegal;
  std::uint8_t rd = nowhere;
  std::uint8_t rs1 = 0;  ///< x0 where none is read
  std::uint8_t rs2 = 0;
  std::int32_t imm =
      0;  ///< operand, offset; number of a CSR and, from bit 12 on, its immediate operand; of an illegal instruction: its bits
};

[[nodiscard]] Kind kind_of(Op op);
[[nodiscard]] const char* name_of(Op op);
[[nodiscard]] bool of_rv64_alone(Op op);
/// It may go on elsewhere than behind itself, or changes what the next instruction may be: a block of instructions ends with it.
[[nodiscard]] bool ends_block(Op op);

}  // namespace tessera::riscv
