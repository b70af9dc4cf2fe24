#include "processor/hart_timing.hpp"

namespace tessera::riscv {

void HartTiming::describe(ParameterVisitor& visitor) {
  constexpr Range cycles{0, 1000};
  visitor.field("alu", alu, cycles, "cycles of an operation on registers");
  visitor.field("multiply", multiply, cycles, "of a multiplication");
  visitor.field("divide", divide, cycles, "of a division of 32-bit operands");
  visitor.field("divide_wide", divide_wide, cycles, "of a division of 64-bit operands");
  visitor.field("load", load, cycles, "of a load, if the next instruction does not take what it loads");
  visitor.field("load_use", load_use, cycles, "that the next instruction waits if it takes a loaded word or doubleword");
  visitor.field("narrow_load_use", narrow_load_use, cycles, "that the next instruction waits if it takes a loaded byte or halfword");
  visitor.field("store", store, cycles, "of a store");
  visitor.field("atomic", atomic, cycles, "of an atomic operation, LR and SC among them");
  visitor.field("branch", branch, cycles, "of a conditional branch that was predicted right: backward taken, forward not");
  visitor.field("jump", jump, cycles, "of a jump to a known place, or of a return");
  visitor.field("misprediction", misprediction, cycles, "on top, of a branch predicted wrong and of an indirect jump that is no return");
  visitor.field("csr", csr, cycles, "of a read or write of a control and status register");
  visitor.field("trap", trap, cycles, "from an exception or interrupt to the handler's first instruction, and of MRET");
  visitor.section("code_cache", code_cache, "cache of instructions; without it each is there at once");
  visitor.section("data_cache", data_cache, "cache of what loads and stores find in memory; without it each is there at once");
}

namespace {

/// As the return-address stack takes it (volume I, table 2.1): to x1 or x5, and no link kept.
bool is_return(const Instruction& jump) { return jump.rd == nowhere && (jump.rs1 == 1 || jump.rs1 == 5); }

}  // namespace

std::uint32_t HartTiming::cycles(const Instruction& instruction) const {
  switch (kind_of(instruction.op)) {
    case Kind::multiply: return multiply;
    case Kind::divide_word: return divide;
    case Kind::divide: return divide_wide;
    case Kind::load:
    case Kind::narrow_load: return load + data_look_up();
    case Kind::store: return store + data_look_up();
    case Kind::atomic: return atomic + data_look_up();
    case Kind::branch: return branch;
    case Kind::jump: return jump;
    case Kind::jump_register: return is_return(instruction) ? jump : jump + refill();
    case Kind::csr: return csr;
    default: return instruction.op == Op::mret ? trap : alu;
  }
}

std::uint32_t HartTiming::stall(const Instruction& loading, const Instruction& next) const {
  const Kind kind = kind_of(loading.op);
  if (kind != Kind::load && kind != Kind::narrow_load) return 0;
  if (next.rs1 != loading.rd && next.rs2 != loading.rd) return 0;
  return kind == Kind::load ? load_use : narrow_load_use;
}

}  // namespace tessera::riscv
