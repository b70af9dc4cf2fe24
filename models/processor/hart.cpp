#include "processor/hart.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/check.hpp"
#include "processor/arithmetic.hpp"
#include "processor/decode.hpp"
#include "processor/hart_access.hpp"

namespace tessera::riscv {

Hart::Hart(const HartConfig& config, Memory& memory)
    : wide_(config.wide),
      timing_(config.timing),
      memory_(memory),
      csr_(wide_),
      caches_(timing_),
      looks_at_data_(caches_.looks_at_data()),
      times_fetches_(timing_.tcm.waits()),
      blocks_(wide_, timing_, caches_.code_line()) {}

void Hart::reset(std::uint64_t pc) {
  x_.fill(0);
  csr_ = CsrFile(wide_);
  cycles_ = 0;
  instructions_ = 0;
  set_pc(pc);
  blocks_.drop_all();
  readable_.clear();
  writable_.clear();
  at_device_ = false;
  watch_hit_ = false;
  reservation_.reset();
  fetched_ = no_byte;
  caches_.clear();
}

void Hart::set_x(unsigned number, std::uint64_t value) {
  if (number != 0) x_.at(number) = in_width(value);
}

void Hart::set_pc(std::uint64_t pc) {
  pc_ = in_width(pc) & ~std::uint64_t{1};
  loading_ = {};
  trapped_at_.reset();
  stopped_at_.reset();
  faulted_ = false;
  waiting_ = false;
}

Stop Hart::run(std::uint64_t cycle_limit) { return run_blocks(cycle_limit, false); }

Stop Hart::step() {
  stopped_at_ = instructions_;
  return run_blocks(std::numeric_limits<std::uint64_t>::max(), true);
}

Stop Hart::run_blocks(std::uint64_t limit, bool single) {
  if (faulted_) return Stop::fault;
  if (at_device_) return Stop::device;
  if (std::exchange(watch_hit_, false)) return Stop::watchpoint;
  if (waiting_ && !csr_.wakes()) return Stop::wait;
  waiting_ = false;
  do {
    const Block* block = block_at_pc();
    // What waits for a load or its fetch does so before anything else can come between.
    if (loading_.op != Op::illegal) {
      if (block != nullptr) cycles_ += timing_.stall(loading_, block->first()->instruction);
      loading_ = {};
    }
    if (times_fetches_ && block != nullptr) fetch_first(*block);
    if (cycles_ >= limit) return Stop::limit;
    if (csr_.interrupted()) {
      if (!trap(csr_.interrupt_cause(), 0)) return Stop::fault;
    } else if (block == nullptr) {
      if (!trap(cause::fetch_access, unfetched_)) return Stop::fault;
    } else {
      if (block->breakpoint && stopped_at_ != instructions_) {
        stopped_at_ = instructions_;
        return Stop::breakpoint;
      }
      if (const std::optional<Stop> stop = execute(*block, limit, single)) return *stop;
    }
  } while (!single);
  return Stop::limit;
}

/// What of the block begins before the limit. Its first instruction does, and waits for its line.
std::optional<Stop> Hart::execute(const Block& block, std::uint64_t limit, bool single) {
  if (caches_.of_code()) cycles_ += caches_.fetch(block.pc, block.bytes(), cycles_);
  const Step* end = single || cycles_ >= limit ? block.first() + 1 : block.end_within(limit - cycles_);
  if (looks_at_data_) return wide_ ? execute<std::uint64_t, true>(block, end) : execute<std::uint32_t, true>(block, end);
  return wide_ ? execute<std::uint64_t, false>(block, end) : execute<std::uint32_t, false>(block, end);
}

const Block* Hart::block_at_pc() {
  if (const Block* block = blocks_.find(pc_)) return block;
  blocks_.release();
  constexpr std::size_t longest_block = 128;
  std::span<const std::byte> code = memory_.from(pc_);
  code = code.first(std::min(code.size(), longest_block));
  // An instruction may begin in one region and end in the next.
  std::array<std::byte, 4> across{};
  if (code.size() < across.size()) {
    std::size_t bytes = 0;
    for (; bytes < across.size(); ++bytes) {
      const std::byte* at = memory_.find(in_width(pc_ + bytes), 1);
      if (at == nullptr) break;
      across[bytes] = *at;
    }
    code = std::span(across).first(bytes);
    const bool whole = bytes >= 2 && bytes >= instruction_bytes(std::to_integer<std::uint16_t>(across[0]));
    if (!whole) {
      unfetched_ = in_width(pc_ + bytes);
      return nullptr;
    }
  }
  const Block& block = blocks_.decode(pc_, code);
  writable_.remove(pc_);
  writable_.remove(pc_ + block.bytes() - 1);
  return &block;
}

/// Out of the TCM; what was waited for already is not again.
void Hart::fetch_first(const Block& block) {
  const std::uint64_t bytes = (block.first() + 1)->offset;
  cycles_ += timing_.tcm.fetch(block.pc, bytes, fetched_);
  fetched_ = block.pc + bytes - 1;
}

void Hart::retire(const Instruction& instruction, std::uint64_t next) {
  cycles_ += timing_.cycles(instruction);
  ++instructions_;
  pc_ = in_width(next);
}

bool Hart::trap(std::uint64_t cause, std::uint64_t value) {
  if (!csr_.has_handler() || trapped_at_ == instructions_) {
    fault_ = {cause, pc_, value};
    faulted_ = true;
    return false;
  }
  pc_ = in_width(csr_.enter(cause, pc_, value));
  cycles_ += timing_.trap;
  trapped_at_ = instructions_;
  loading_ = {};
  reservation_.reset();
  return true;
}

void Hart::finish_device(std::uint64_t value) {
  TESSERA_CHECK(at_device_, "a device's access ends that the hart does not wait for");
  at_device_ = false;
  const Instruction& instruction = device_instruction_;
  if (!device_.write) {
    device_.value = value;
    x_[instruction.rd] = in_width(loaded_value(instruction.op, value));
    loading_ = instruction;
  }
  watch_hit_ = watch(device_);
  retire(instruction, behind_device_);
}

void Hart::fail_device() {
  TESSERA_CHECK(at_device_, "a device's access fails that the hart does not wait for");
  at_device_ = false;
  trap(device_.write ? cause::store_access : cause::load_access, device_.address);
}

// --- The interpreter ---

// The interpreter: what each instruction of a block does to registers and memory. Time and place are kept by the block as a whole; where
// it is left before its end, arrive() says both.

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

// --- Accesses to memory ---

namespace {

bool overlap(std::uint64_t a, std::uint64_t a_bytes, std::uint64_t b, std::uint64_t b_bytes) { return a - b < b_bytes || b - a < a_bytes; }

}  // namespace

Hart::Access Hart::fail(std::uint64_t cause, std::uint64_t address) {
  failed_ = {cause, 0, address};
  return Access::failed;
}

/// No memory has it: a device's, which takes aligned accesses alone.
Hart::Access Hart::fail(const DeviceAccess& access) {
  if (access.address % access.bytes != 0) return fail(access.write ? cause::store_misaligned : cause::load_misaligned, access.address);
  device_ = access;
  at_device_ = true;
  return Access::failed;
}

Hart::Access Hart::read_elsewhere(std::uint64_t address, std::uint32_t bytes, std::uint64_t& value) {
  if (const std::byte* whole = memory_.find(address, bytes)) {
    std::memcpy(&value, whole, bytes);
  } else {
    for (std::uint32_t i = 0; i < bytes; ++i) {
      const std::byte* at = memory_.find(in_width(address + i), 1);
      if (at == nullptr) return fail({address, bytes, false, 0});
      value |= std::to_integer<std::uint64_t>(*at) << 8 * i;
    }
  }
  const std::uint64_t page = address & ~(page_bytes - 1);
  if (!watches_page(page))
    if (std::byte* whole = memory_.find(page, page_bytes)) readable_.add(page, whole);
  return watch({address, bytes, false, value}) ? Access::last : Access::done;
}

Hart::Access Hart::write_elsewhere(std::uint64_t address, std::uint32_t bytes, std::uint64_t value) {
  if (std::byte* whole = memory_.find_to_store(address, bytes)) {
    std::memcpy(whole, &value, bytes);
  } else {
    std::array<std::byte*, sizeof value> at{};
    for (std::uint32_t i = 0; i < bytes; ++i) {
      at.at(i) = memory_.find_to_store(in_width(address + i), 1);
      if (at.at(i) == nullptr) return fail({address, bytes, true, value});
    }
    for (std::uint32_t i = 0; i < bytes; ++i) *at.at(i) = static_cast<std::byte>(value >> 8 * i);
  }
  const bool code_changed = blocks_.drop(address, bytes);
  const std::uint64_t page = address & ~(page_bytes - 1);
  if (!watches_page(page) && !blocks_.holds_code(page))
    if (std::byte* whole = memory_.find_to_store(page, page_bytes)) writable_.add(page, whole);
  return watch({address, bytes, true, value}) || code_changed ? Access::last : Access::done;
}

void Hart::set_watchpoint(std::uint64_t address, std::uint64_t bytes, bool read, bool write) {
  watchpoints_.push_back({in_width(address), bytes, read, write});
  readable_.clear();
  writable_.clear();
}

void Hart::clear_watchpoint(std::uint64_t address, std::uint64_t bytes, bool read, bool write) {
  std::erase(watchpoints_, Watchpoint{in_width(address), bytes, read, write});
}

bool Hart::watches_page(std::uint64_t address) const {
  return std::ranges::any_of(watchpoints_,
                             [&](const Watchpoint& watched) { return overlap(watched.address, watched.bytes, address, page_bytes); });
}

bool Hart::watch(const DeviceAccess& access) {
  const bool hit = std::ranges::any_of(watchpoints_, [&](const Watchpoint& watched) {
    return (access.write ? watched.write : watched.read) && overlap(watched.address, watched.bytes, access.address, access.bytes);
  });
  if (hit) {
    watched_ = access;
    watch_hit_ = true;
  }
  return hit;
}

void Hart::memory_written(std::uint64_t address, std::uint64_t bytes) {
  blocks_.drop(address, bytes);
  constexpr std::uint64_t reserved_bytes = 8;
  if (reservation_ && overlap(*reservation_, reserved_bytes, address, bytes)) reservation_.reset();
}

// --- System instructions and traps ---

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
