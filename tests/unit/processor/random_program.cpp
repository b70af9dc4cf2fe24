#include "unit/processor/random_program.hpp"

#include <cstring>

namespace tessera::riscv {

using namespace assembly;

namespace {

struct Operation {
  std::uint32_t opcode, funct3, funct7;
};
constexpr Operation operations[] = {
    {0x33, 0, 0x00}, {0x33, 0, 0x20}, {0x33, 1, 0x00}, {0x33, 2, 0x00}, {0x33, 3, 0x00}, {0x33, 4, 0x00},  // add sub sll slt sltu xor
    {0x33, 5, 0x00}, {0x33, 5, 0x20}, {0x33, 6, 0x00}, {0x33, 7, 0x00},                                    // srl sra or and
    {0x33, 0, 0x01}, {0x33, 1, 0x01}, {0x33, 2, 0x01}, {0x33, 3, 0x01},                                    // mul mulh mulhsu mulhu
    {0x33, 4, 0x01}, {0x33, 5, 0x01}, {0x33, 6, 0x01}, {0x33, 7, 0x01},                                    // div divu rem remu
    {0x3b, 0, 0x00}, {0x3b, 0, 0x20}, {0x3b, 1, 0x00}, {0x3b, 5, 0x00}, {0x3b, 5, 0x20},                   // addw subw sllw srlw sraw
    {0x3b, 0, 0x01}, {0x3b, 4, 0x01}, {0x3b, 5, 0x01}, {0x3b, 6, 0x01}, {0x3b, 7, 0x01}};                  // mulw divw divuw remw remuw
constexpr std::uint64_t operations_of_32 = 18;
constexpr std::uint32_t atomic_functions[] = {0x01, 0x00, 0x04, 0x0c, 0x08,
                                              0x10, 0x14, 0x18, 0x1c};  // funct5: swap add xor and or min max minu maxu

constexpr std::uint32_t bit_of(std::uint32_t value, unsigned from, unsigned to) { return (value >> from & 1U) << to; }
constexpr std::uint32_t bits_of(std::uint32_t value, unsigned high, unsigned low, unsigned to) {
  return (value >> low & ((1U << (high - low + 1)) - 1U)) << to;
}
constexpr std::uint32_t ci(std::uint32_t quadrant, std::uint32_t funct3, std::uint32_t rd, std::uint32_t imm) {
  return funct3 << 13 | bit_of(imm, 5, 12) | rd << 7 | bits_of(imm, 4, 0, 2) | quadrant;
}
/// `position` within 8 to 15.
constexpr std::uint32_t short_register(Register name, unsigned position) { return (name - 8U) << position; }

}  // namespace

void RandomProgram::put32(std::uint32_t bits) {
  for (unsigned i = 0; i < 4; ++i) code_.push_back(static_cast<std::uint8_t>(bits >> 8 * i));
}
void RandomProgram::put16(std::uint32_t bits) {
  for (unsigned i = 0; i < 2; ++i) code_.push_back(static_cast<std::uint8_t>(bits >> 8 * i));
}

/// A register that a program may write.
Register RandomProgram::target(unsigned first, unsigned count) {
  for (;;) {
    const auto chosen = static_cast<Register>(first + random_.below(count));
    if (chosen != gp && chosen != tp && (chosen != counter_ || counter_ == 0)) return chosen;
  }
}

/// Of addresses of 31 bits.
void RandomProgram::load_constant(Register rd, std::uint64_t value) {
  const auto low = static_cast<std::int32_t>(value << 52 >> 52) - ((value & 0x800U) != 0 ? 0x1000 : 0);
  put32(lui(rd, static_cast<std::uint32_t>((value - static_cast<std::uint64_t>(static_cast<std::int64_t>(low))) >> 12)));
  put32(addi(rd, rd, low));
}

void RandomProgram::prologue() {
  put32(addi(sp, zero, 0));  // Linux has a stack there; all others are zero
  load_constant(gp, ProgramLayout::gp);
  load_constant(tp, ProgramLayout::log);
}

void RandomProgram::epilogue(std::uint64_t log_bytes) {
  constexpr std::int32_t write_call = 64, exit_call = 93, standard_output = 1;
  put32(addi(a0, zero, standard_output));
  load_constant(a1, ProgramLayout::data);
  load_constant(a2, ProgramLayout::log - ProgramLayout::data + log_bytes);
  put32(addi(a7, zero, write_call));
  put32(ecall);
  put32(addi(a0, zero, 0));
  put32(addi(a7, zero, exit_call));
  put32(ecall);
}

void RandomProgram::append(unsigned units) {
  const std::uint64_t values = ProgramLayout::values_bytes / register_bytes();
  for (unsigned i = 0; i < 12; ++i) {
    const auto offset = static_cast<std::int32_t>(random_.below(values) * register_bytes());
    put32(wide_ ? ld(target(), gp, offset) : lw(target(), gp, offset));
  }
  for (unsigned i = 0; i < units; ++i) unit();
  land(true);
  for (std::uint32_t number = 1; number < 32; ++number) {
    const auto source = static_cast<Register>(number);
    const auto offset = static_cast<std::int32_t>(number * register_bytes());
    put32(wide_ ? sd(source, tp, offset) : sw(source, tp, offset));
  }
  put32(addi(tp, tp, static_cast<std::int32_t>(log_bytes())));
}

void RandomProgram::unit() {
  switch (random_.below(24)) {
    case 0:
    case 1:
    case 2:
    case 3:
    case 4: operation(); break;
    case 5:
    case 6:
    case 7: operation_with_immediate(); break;
    case 8: upper_immediate(); break;
    case 9:
    case 10:
    case 11:
    case 12: memory_access(); break;
    case 13: atomic(); break;
    case 14: reservation(); break;
    case 15:
    case 16: branch(); break;
    case 17: jump(); break;
    case 18: compressed_operation(); break;
    case 19: compressed_arithmetic(); break;
    case 20: compressed_memory(); break;
    case 21: compressed_stack(); break;
    case 22: compressed_jump(); break;
    default:
      if (counter_ == 0) {
        loop();
      } else {
        put32(upto(8) == 0 ? fence_i : fence);
      }
  }
  land(false);
}

void RandomProgram::operation() {
  const Operation& chosen = operations[random_.below(wide_ ? std::size(operations) : operations_of_32)];
  put32(r_type(chosen.opcode, chosen.funct3, chosen.funct7, target(), any(), any()));
}

void RandomProgram::operation_with_immediate() {
  const bool word = wide_ && upto(3) == 0;
  const std::uint32_t opcode = word ? 0x1b : 0x13;
  const std::uint32_t funct3 = word ? std::uint32_t{5} * upto(2) + (upto(3) == 0 ? 1U : 0U) : upto(8);
  if (funct3 != 1 && funct3 != 5) {
    put32(i_type(opcode, word ? 0 : funct3, target(), any(), immediate(12)));
    return;
  }
  const std::uint32_t by = upto(wide_ && !word ? 64 : 32);
  const std::uint32_t arithmetic = funct3 == 5 ? upto(2) << 10 : 0;
  put32(i_type(opcode, funct3, target(), any(), static_cast<std::int32_t>(arithmetic | by)));
}

void RandomProgram::upper_immediate() { put32(upto(2) << 5 | 0x17U | target() << 7 | upto(1U << 20) << 12); }

/// Lets `base` point somewhere and gives the offset from there to an address in scratch with `room` bytes behind it, at any alignment.
std::int32_t RandomProgram::pointer(Register base, std::int32_t room) {
  const auto size = static_cast<std::int32_t>(ProgramLayout::scratch_bytes);
  const std::int32_t address = static_cast<std::int32_t>(random_.below(static_cast<std::uint64_t>(size - room + 1))) - size;
  const std::int32_t pointer = immediate(12);
  put32(addi(base, gp, pointer));
  const std::int32_t offset = address - pointer;
  if (offset >= -2048 && offset < 2048) return offset;
  put32(addi(base, gp, address));
  return 0;
}

void RandomProgram::memory_access() {
  Register base = target();
  while (base == zero) base = target();
  const std::int32_t offset = pointer(base, 8);
  if (upto(2) == 0) {
    put32(s_type(upto(wide_ ? 4 : 3), any(), base, offset));
    return;
  }
  constexpr std::uint32_t loads_of_32[] = {0, 1, 2, 4, 5};
  put32(i_type(0x03, wide_ ? upto(7) : loads_of_32[upto(5)], target(), base, offset));
}

void RandomProgram::atomic() {
  Register base = target();
  while (base == zero) base = target();
  const bool doubleword = wide_ && upto(2) == 0;
  put32(addi(base, gp, -8 * static_cast<std::int32_t>(1 + upto(ProgramLayout::scratch_bytes / 8))));
  const std::uint32_t ordering = upto(4);
  put32(r_type(0x2f, doubleword ? 3 : 2, atomic_functions[random_.below(std::size(atomic_functions))] << 2 | ordering, target(), base,
               any()));
}

/// LR and SC of one address, or of two, or SC alone.
void RandomProgram::reservation() {
  Register base = target();
  while (base == zero) base = target();
  Register loaded = target();
  while (loaded == base) loaded = target();
  const std::uint32_t width = wide_ && upto(2) == 0 ? 3 : 2;
  put32(addi(base, gp, -8 * static_cast<std::int32_t>(1 + upto(ProgramLayout::scratch_bytes / 8))));
  if (upto(4) != 0) {
    put32(r_type(0x2f, width, 0x02U << 2 | upto(4), loaded, base, zero));
    if (upto(4) == 0) put32(addi(base, gp, -8 * static_cast<std::int32_t>(1 + upto(ProgramLayout::scratch_bytes / 8))));
  }
  const std::uint32_t stores = 1 + upto(2);  // the second has no reservation
  for (std::uint32_t i = 0; i < stores; ++i) {
    Register result = target();
    while (result == base) result = target();
    put32(r_type(0x2f, width, 0x03U << 2 | upto(4), result, base, any()));
  }
}

void RandomProgram::branch() {
  constexpr std::uint32_t conditions[] = {0, 1, 4, 5, 6, 7};
  const std::size_t at = code_.size();
  const Register first = any();
  put32(b_type(conditions[upto(6)], first, upto(4) == 0 ? first : any(), 0));
  forward(at, at, Patch::branch);
}

void RandomProgram::jump() {
  const std::size_t at = code_.size();
  if (upto(2) == 0) {
    put32(jal(target(), 0));
    forward(at, at, Patch::jump);
    return;
  }
  Register base = target();
  while (base == zero) base = target();
  put32(auipc(base, 0));
  put32(jalr(target(), base, static_cast<std::int32_t>(upto(2))));  // an odd address counts as the even one before it
  forward(at + 4, at, Patch::immediate);
}

void RandomProgram::compressed_operation() {
  const Register rd = target();
  const std::uint32_t imm = upto(64);
  switch (upto(8)) {
    case 0: put16(ci(1, 0, rd, imm)); break;                                             // c.addi
    case 1: put16(ci(1, 2, rd, imm)); break;                                             // c.li
    case 2: put16(rd == sp || imm == 0 ? ci(1, 2, rd, imm) : ci(1, 3, rd, imm)); break;  // c.lui
    case 3: put16(ci(2, 0, rd, wide_ ? imm : imm & 31U)); break;                         // c.slli
    case 4:                                                                              // c.mv, c.add
    case 5: {
      const std::uint32_t source = 1 + upto(31);
      put16(0x8002U | upto(2) << 12 | rd << 7 | source << 2);
      break;
    }
    case 6: {  // c.addi16sp
      const std::uint32_t step = 16 * (1 + upto(63));
      if (counter_ != sp)
        put16(0x6101U | bit_of(step, 9, 12) | bit_of(step, 4, 6) | bit_of(step, 6, 5) | bits_of(step, 8, 7, 3) | bit_of(step, 5, 2));
      break;
    }
    default: put16(wide_ && rd != zero ? ci(1, 1, rd, imm) : ci(1, 0, rd, imm)); break;  // c.addiw
  }
}

void RandomProgram::compressed_arithmetic() {
  const std::uint32_t rd = short_register(short_target(), 7);
  const std::uint32_t rs2 = short_register(short_any(), 2);
  const std::uint32_t imm = upto(64);
  const std::uint32_t shift = wide_ ? imm : imm & 31U;
  switch (upto(6)) {
    case 0: put16(0x8001U | rd | bit_of(shift, 5, 12) | bits_of(shift, 4, 0, 2)); break;             // c.srli
    case 1: put16(0x8001U | 1U << 10 | rd | bit_of(shift, 5, 12) | bits_of(shift, 4, 0, 2)); break;  // c.srai
    case 2: put16(0x8001U | 2U << 10 | rd | bit_of(imm, 5, 12) | bits_of(imm, 4, 0, 2)); break;      // c.andi
    case 3: put16(0x8c01U | rd | upto(4) << 5 | rs2); break;                                         // c.sub, c.xor, c.or, c.and
    case 4: put16(wide_ ? 0x9c01U | rd | upto(2) << 5 | rs2 : 0x8c01U | rd | rs2); break;            // c.subw, c.addw
    default: {                                                                                       // c.addi4spn
      const std::uint32_t offset = 4 * (1 + upto(255));
      put16(bits_of(offset, 5, 4, 11) | bits_of(offset, 9, 6, 7) | bit_of(offset, 2, 6) | bit_of(offset, 3, 5) |
            short_register(short_target(), 2));
    }
  }
}

void RandomProgram::compressed_memory() {
  const Register base = short_target();
  put32(addi(base, gp, -static_cast<std::int32_t>(256 + upto(ProgramLayout::scratch_bytes - 256))));
  const bool stores = upto(2) == 0;
  const bool doubleword = wide_ && upto(2) == 0;
  const std::uint32_t item = short_register(stores ? short_any() : short_target(), 2) | short_register(base, 7) | (stores ? 0x8000U : 0);
  if (doubleword) {
    const std::uint32_t offset = 8 * upto(31);
    put16(0x6000U | item | bits_of(offset, 5, 3, 10) | bits_of(offset, 7, 6, 5));
  } else {
    const std::uint32_t offset = 4 * upto(32);
    put16(0x4000U | item | bits_of(offset, 5, 3, 10) | bit_of(offset, 2, 6) | bit_of(offset, 6, 5));
  }
}

void RandomProgram::compressed_stack() {
  if (counter_ == sp) return;
  put32(addi(sp, gp, -static_cast<std::int32_t>(512 + upto(ProgramLayout::scratch_bytes - 512))));
  const std::uint32_t words = 4 * upto(64), doublewords = 8 * upto(63);
  Register rd = target();
  while (rd == zero) rd = target();
  switch (upto(wide_ ? 4 : 2)) {
    case 0: put16(0x4002U | rd << 7 | bit_of(words, 5, 12) | bits_of(words, 4, 2, 4) | bits_of(words, 7, 6, 2)); break;  // c.lwsp
    case 1: put16(0xc002U | any() << 2 | bits_of(words, 5, 2, 9) | bits_of(words, 7, 6, 7)); break;                      // c.swsp
    case 2: put16(0x6002U | rd << 7 | bit_of(doublewords, 5, 12) | bits_of(doublewords, 4, 3, 5) | bits_of(doublewords, 8, 6, 2)); break;
    default: put16(0xe002U | any() << 2 | bits_of(doublewords, 5, 3, 10) | bits_of(doublewords, 8, 6, 7)); break;
  }
}

void RandomProgram::compressed_jump() {
  const std::size_t at = code_.size();
  switch (upto(4)) {
    case 0:  // c.j, c.jal
      put16(wide_ || upto(2) == 0 || counter_ == ra ? 0xa001U : 0x2001U);
      forward(at, at, Patch::short_jump);
      break;
    case 1:
    case 2:  // c.beqz, c.bnez
      put16(0xc001U | upto(2) << 13 | short_register(short_any(), 7));
      forward(at, at, Patch::short_branch);
      break;
    default: {  // c.jr, c.jalr
      Register base = target();
      while (base == zero) base = target();
      put32(auipc(base, 0));
      put32(addi(base, base, 0));
      put16((upto(2) == 0 || counter_ == ra ? 0x8002U : 0x9002U) | base << 7);
      forward(at + 4, at, Patch::immediate);
    }
  }
}

void RandomProgram::loop() {
  land(true);
  Register counter = target();
  while (counter == zero) counter = target();
  put32(addi(counter, zero, 1 + static_cast<std::int32_t>(upto(4))));
  counter_ = counter;
  const std::size_t begin = code_.size();
  const std::uint32_t pieces = 2 + upto(8);
  for (std::uint32_t i = 0; i < pieces; ++i) unit();
  put32(addi(counter, counter, -1));
  put32(bne(counter, zero, static_cast<std::int32_t>(begin) - static_cast<std::int32_t>(code_.size())));
  counter_ = 0;
}

void RandomProgram::forward(std::size_t at, std::size_t origin, Patch kind) { forwards_.push_back({at, origin, kind, 1 + upto(6)}); }

/// What leads here ends here; with `all`, whatever is under way.
void RandomProgram::land(bool all) {
  for (Forward& forward : forwards_)
    if (all || --forward.units == 0) {
      patch(forward);
      forward.units = 0;
    }
  std::erase_if(forwards_, [](const Forward& forward) { return forward.units == 0; });
}

void RandomProgram::patch(const Forward& forward) {
  const auto o = static_cast<std::uint32_t>(code_.size() - forward.origin);
  const auto offset = static_cast<std::int32_t>(o);
  std::uint32_t bits = 0;
  switch (forward.patch) {
    case Patch::branch: bits = b_type(0, zero, zero, offset) & ~0x7fU; break;
    case Patch::jump: bits = jal(zero, offset) & ~0x7fU; break;
    case Patch::immediate: bits = o << 20; break;
    case Patch::short_jump: bits = c_jump_offset(offset); break;
    case Patch::short_branch: bits = c_branch_offset(offset); break;
  }
  const std::size_t bytes = forward.patch == Patch::short_jump || forward.patch == Patch::short_branch ? 2 : 4;
  for (std::size_t i = 0; i < bytes; ++i) code_[forward.at + i] = static_cast<std::uint8_t>(code_[forward.at + i] | bits >> 8 * i);
}

}  // namespace tessera::riscv
