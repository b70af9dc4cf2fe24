// The interpreter: what each instruction of a block does to registers and memory. Time and place are kept by the block as a whole; where
// it is left before its end, arrive() says both.
#include <algorithm>
#include <utility>

#include "processor/arithmetic.hpp"
#include "processor/hart_access.hpp"

namespace tessera::riscv {

namespace {

/// What an atomic operation writes.
template <class T>
T combined(Op op, T old, T operand) {
  switch (op) {
    case Op::amoadd_w:
    case Op::amoadd_d: return static_cast<T>(old + operand);
    case Op::amoxor_w:
    case Op::amoxor_d: return old ^ operand;
    case Op::amoand_w:
    case Op::amoand_d: return old & operand;
    case Op::amoor_w:
    case Op::amoor_d: return old | operand;
    case Op::amomin_w:
    case Op::amomin_d: return as_signed(old) < as_signed(operand) ? old : operand;
    case Op::amomax_w:
    case Op::amomax_d: return as_signed(old) > as_signed(operand) ? old : operand;
    case Op::amominu_w:
    case Op::amominu_d: return std::min(old, operand);
    case Op::amomaxu_w:
    case Op::amomaxu_d: return std::max(old, operand);
    default: return operand;  // amoswap, and what SC writes
  }
}

}  // namespace

/// Everything before `next` has retired, and the hart stands there. Where that is within the block, its fetch has been waited for.
void Hart::arrive(const Block& block, const Step* next) {
  cycles_ += next->begin;
  instructions_ += static_cast<std::uint64_t>(next - block.first());
  pc_ = in_width(block.pc + next->offset);
  loading_ = next == block.end() ? block.loading : Instruction{};
  if (times_fetches_) fetched_ = block.pc + (next == block.end() ? next : next + 1)->offset - 1;
}

/// At the instruction `at`, whose access did not just succeed.
std::optional<Stop> Hart::leave(const Block& block, const Step* at, Access access) {
  if (access == Access::last) {
    arrive(block, at + 1);
    if (std::exchange(watch_hit_, false)) return Stop::watchpoint;
    return std::nullopt;
  }
  arrive(block, at);
  if (at_device_) {
    device_instruction_ = at->instruction;
    behind_device_ = block.pc + (at + 1)->offset;
    return Stop::device;
  }
  if (!trap(failed_.cause, failed_.value)) return Stop::fault;
  return std::nullopt;
}

/// LR, SC and the operations on memory: aligned, and in no device.
template <class T>
Hart::Access Hart::atomic(const Instruction& instruction) {
  const Op op = instruction.op;
  const bool loads = op == Op::lr_w || op == Op::lr_d;
  const bool conditional = op == Op::sc_w || op == Op::sc_d;
  const std::uint64_t address = x_[instruction.rs1];
  if (address % sizeof(T) != 0) return fail(loads ? cause::load_misaligned : cause::store_misaligned, address);
  const std::byte* const there = loads ? memory_.find(address, sizeof(T)) : memory_.find_to_store(address, sizeof(T));
  if (there == nullptr) return fail(loads ? cause::load_access : cause::store_access, address);
  const auto operand = static_cast<T>(x_[instruction.rs2]);
  const bool fails = conditional && reservation_ != address;
  if (conditional) {
    reservation_.reset();
    if (fails) {
      x_[instruction.rd] = 1;
      return Access::done;
    }
  }
  T old = 0;
  Access access = conditional ? Access::done : read(address, old);
  if (loads) {
    reservation_ = address;
  } else {
    access = std::max(access, write(address, combined(op, old, operand)));
  }
  if constexpr (sizeof(T) == sizeof(std::uint32_t)) {
    x_[instruction.rd] = in_width(from_32<std::uint64_t>(old));
  } else {
    x_[instruction.rd] = old;
  }
  return access;
}

template <class Word, bool data_timed>
std::optional<Stop> Hart::execute(const Block& block, const Step* end) {
  using Signed = std::make_signed_t<Word>;
  constexpr unsigned shift_bits = std::numeric_limits<Word>::digits - 1;
  const auto word_32 = [](auto value) { return static_cast<std::uint32_t>(value); };
  std::uint64_t* const x = x_.data();

  for (const Step* at = block.first(); at != end; ++at) {
    const Instruction& i = at->instruction;
    const auto a = static_cast<Word>(x[i.rs1]);
    const auto b = static_cast<Word>(x[i.rs2]);
    const auto imm = static_cast<Word>(static_cast<Signed>(i.imm));
    const auto pc = [&] { return static_cast<Word>(block.pc + at->offset); };
    const auto next_pc = [&] { return static_cast<Word>(block.pc + (at + 1)->offset); };
    const auto set = [&](Word value) { x[i.rd] = value; };
    const auto set_32 = [&](std::uint32_t value) { x[i.rd] = from_32<Word>(value); };
    const auto timed = [&](Access access, std::uint64_t address, std::uint64_t bytes, bool writes) {
      if (!data_timed || access == Access::failed) return access;
      const std::int64_t waited = caches_.access(address, bytes, writes, cycles_ + at->begin);
      cycles_ += static_cast<std::uint64_t>(waited);
      return waited == 0 ? access : Access::last;
    };
    const auto load = [&]<class T>(T item) {
      const Word address = a + imm;
      const Access access = read(address, item);
      if (access != Access::failed) set(static_cast<Word>(static_cast<std::conditional_t<std::is_signed_v<T>, Signed, Word>>(item)));
      return timed(access, address, sizeof(T), false);
    };
    const auto store = [&]<class T>(T) {
      const Word address = a + imm;
      return timed(write(address, static_cast<T>(x[i.rs2])), address, sizeof(T), true);
    };
    const auto jump = [&](Word target) {
      set(next_pc());
      arrive(block, at);
      retire(i, target);
      return std::nullopt;
    };
    const auto branch = [&](bool taken) {
      const Word target = taken ? pc() + imm : next_pc();
      arrive(block, at);
      cycles_ += timing_.branch_cycles(i.imm < 0, taken);
      ++instructions_;
      pc_ = target;
      return std::nullopt;
    };

    Access access = Access::done;
    switch (i.op) {
      case Op::lui: set(imm); continue;
      case Op::auipc: set(pc() + imm); continue;
      case Op::jal: return jump(pc() + imm);
      case Op::jalr: return jump((a + imm) & ~Word{1});
      case Op::beq: return branch(a == b);
      case Op::bne: return branch(a != b);
      case Op::blt: return branch(as_signed(a) < as_signed(b));
      case Op::bge: return branch(as_signed(a) >= as_signed(b));
      case Op::bltu: return branch(a < b);
      case Op::bgeu: return branch(a >= b);

      case Op::lb: access = load(std::int8_t{}); break;
      case Op::lh: access = load(std::int16_t{}); break;
      case Op::lw: access = load(std::int32_t{}); break;
      case Op::ld: access = load(std::int64_t{}); break;
      case Op::lbu: access = load(std::uint8_t{}); break;
      case Op::lhu: access = load(std::uint16_t{}); break;
      case Op::lwu: access = load(std::uint32_t{}); break;
      case Op::sb: access = store(std::uint8_t{}); break;
      case Op::sh: access = store(std::uint16_t{}); break;
      case Op::sw: access = store(std::uint32_t{}); break;
      case Op::sd: access = store(std::uint64_t{}); break;

      case Op::addi: set(a + imm); continue;
      case Op::slti: set(as_signed(a) < as_signed(imm)); continue;
      case Op::sltiu: set(a < imm); continue;
      case Op::xori: set(a ^ imm); continue;
      case Op::ori: set(a | imm); continue;
      case Op::andi: set(a & imm); continue;
      case Op::slli: set(a << i.imm); continue;
      case Op::srli: set(a >> i.imm); continue;
      case Op::srai: set(shift_right_arithmetic(a, static_cast<unsigned>(i.imm))); continue;
      case Op::add: set(a + b); continue;
      case Op::sub: set(a - b); continue;
      case Op::sll: set(a << (b & shift_bits)); continue;
      case Op::slt: set(as_signed(a) < as_signed(b)); continue;
      case Op::sltu: set(a < b); continue;
      case Op::xor_: set(a ^ b); continue;
      case Op::srl: set(a >> (b & shift_bits)); continue;
      case Op::sra: set(shift_right_arithmetic(a, static_cast<unsigned>(b & shift_bits))); continue;
      case Op::or_: set(a | b); continue;
      case Op::and_: set(a & b); continue;
      case Op::addiw: set_32(word_32(a + imm)); continue;
      case Op::slliw: set_32(word_32(a) << i.imm); continue;
      case Op::srliw: set_32(word_32(a) >> i.imm); continue;
      case Op::sraiw: set_32(shift_right_arithmetic(word_32(a), static_cast<unsigned>(i.imm))); continue;
      case Op::addw: set_32(word_32(a + b)); continue;
      case Op::subw: set_32(word_32(a - b)); continue;
      case Op::sllw: set_32(word_32(a) << (b & 31U)); continue;
      case Op::srlw: set_32(word_32(a) >> (b & 31U)); continue;
      case Op::sraw: set_32(shift_right_arithmetic(word_32(a), b & 31U)); continue;
      case Op::fence: continue;  // one hart, and its accesses are seen in their order

      case Op::mul: set(a * b); continue;
      case Op::mulh: set(multiply_high<true, true>(a, b)); continue;
      case Op::mulhsu: set(multiply_high<true, false>(a, b)); continue;
      case Op::mulhu: set(multiply_high<false, false>(a, b)); continue;
      case Op::div: set(divide_signed(a, b)); continue;
      case Op::divu: set(divide_unsigned(a, b)); continue;
      case Op::rem: set(remainder_signed(a, b)); continue;
      case Op::remu: set(remainder_unsigned(a, b)); continue;
      case Op::mulw: set_32(word_32(a) * word_32(b)); continue;
      case Op::divw: set_32(divide_signed(word_32(a), word_32(b))); continue;
      case Op::divuw: set_32(divide_unsigned(word_32(a), word_32(b))); continue;
      case Op::remw: set_32(remainder_signed(word_32(a), word_32(b))); continue;
      case Op::remuw: set_32(remainder_unsigned(word_32(a), word_32(b))); continue;

      case Op::lr_w:
      case Op::sc_w:
      case Op::amoswap_w:
      case Op::amoadd_w:
      case Op::amoxor_w:
      case Op::amoand_w:
      case Op::amoor_w:
      case Op::amomin_w:
      case Op::amomax_w:
      case Op::amominu_w:
      case Op::amomaxu_w: access = timed(atomic<std::uint32_t>(i), a, sizeof(std::uint32_t), i.op != Op::lr_w); break;
      case Op::lr_d:
      case Op::sc_d:
      case Op::amoswap_d:
      case Op::amoadd_d:
      case Op::amoxor_d:
      case Op::amoand_d:
      case Op::amoor_d:
      case Op::amomin_d:
      case Op::amomax_d:
      case Op::amominu_d:
      case Op::amomaxu_d: access = timed(atomic<std::uint64_t>(i), a, sizeof(std::uint64_t), i.op != Op::lr_d); break;

      default: {
        const std::uint64_t behind = next_pc();
        arrive(block, at);
        return system(i, behind);
      }
    }
    if (access != Access::done) [[unlikely]]
      return leave(block, at, access);
  }
  arrive(block, end);
  return std::nullopt;
}

template std::optional<Stop> Hart::execute<std::uint32_t, false>(const Block&, const Step*);
template std::optional<Stop> Hart::execute<std::uint32_t, true>(const Block&, const Step*);
template std::optional<Stop> Hart::execute<std::uint64_t, false>(const Block&, const Step*);
template std::optional<Stop> Hart::execute<std::uint64_t, true>(const Block&, const Step*);

}  // namespace tessera::riscv
