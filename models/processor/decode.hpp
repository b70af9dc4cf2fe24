#pragma once
// From an instruction's bits to its operation and operands.
#include <cstdint>

#include "processor/instruction.hpp"

namespace tessera::riscv {

/// Bytes of the instruction that begins with these 16 bits.
[[nodiscard]] constexpr unsigned instruction_bytes(std::uint16_t first) { return (first & 3U) == 3U ? 4 : 2; }

/// Of 32 bits, or of 16 in the lower half. `wide`: of RV64.
[[nodiscard]] Instruction decode(std::uint32_t bits, bool wide);

/// The 32-bit instruction that a compressed one stands for (volume I, chapter 16); 0, which is illegal, where it stands for none.
[[nodiscard]] std::uint32_t expand_compressed(std::uint16_t bits, bool wide);

}  // namespace tessera::riscv
