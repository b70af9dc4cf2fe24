#include "processor/hart.hpp"

namespace tessera::riscv {

/// CSRs, calls, returns from traps, WFI, FENCE.I, and what is no instruction. The hart stands at it.
std::optional<Stop> Hart::system(const Instruction& instruction, std::uint64_t next) {
  const auto stops = [](bool handled) { return handled ? std::nullopt : std::optional(Stop::fault); };
  switch (instruction.op) {
    case Op::ecall: return stops(trap(cause::machine_ecall, 0));
    case Op::ebreak: return stops(trap(cause::breakpoint, pc_));
    case Op::illegal: return stops(trap(cause::illegal_instruction, static_cast<std::uint32_t>(instruction.imm)));
    case Op::mret: retire(instruction, csr_.leave()); return std::nullopt;
    case Op::wfi:
      retire(instruction, next);
      waiting_ = !csr_.wakes();
      return waiting_ ? std::optional(Stop::wait) : std::nullopt;
    case Op::fence_i:
      retire(instruction, next);
      blocks_.drop_all();
      caches_.clear_code();
      return std::nullopt;
    default: break;
  }
  if (!access_csr(instruction)) return stops(trap(cause::illegal_instruction, bits_at_pc()));
  retire(instruction, next);
  return std::nullopt;
}

/// Of an instruction of 32 bits.
std::uint64_t Hart::bits_at_pc() const {
  std::uint64_t bits = 0;
  for (unsigned i = 0; i < 4; ++i) bits |= std::to_integer<std::uint64_t>(*memory_.find(in_width(pc_ + i), 1)) << 8 * i;
  return bits;
}

/// Reads and writes a CSR as a whole; false where that is illegal.
bool Hart::access_csr(const Instruction& instruction) {
  const auto fields = static_cast<std::uint32_t>(instruction.imm);
  const unsigned number = fields & 0xfffU;
  const std::uint64_t immediate = fields >> 12;
  const Op op = instruction.op;
  const bool replaces = op == Op::csrrw || op == Op::csrrwi;
  const bool writes = replaces || instruction.rs1 != 0 || immediate != 0;  // x0 or a zero changes no bits, and is no write
  const std::uint64_t operand = x_[instruction.rs1] | immediate;
  const std::optional<std::uint64_t> old = csr_.read(number, {cycles_, instructions_});
  if (!old) return false;
  if (writes) {
    const bool sets = op == Op::csrrs || op == Op::csrrsi;
    const std::uint64_t value = replaces ? operand : sets ? *old | operand : *old & ~operand;
    if (!csr_.write(number, value, {cycles_ + timing_.csr, instructions_ + 1})) return false;
  }
  x_[instruction.rd] = *old;
  return true;
}

}  // namespace tessera::riscv
