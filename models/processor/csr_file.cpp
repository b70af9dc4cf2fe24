#include "processor/csr_file.hpp"

namespace tessera::riscv {

namespace {

constexpr std::uint64_t bit(unsigned number) { return std::uint64_t{1} << number; }
constexpr std::uint64_t all_lines = bit(interrupt::software) | bit(interrupt::timer) | bit(interrupt::external);

constexpr unsigned mie_bit = 3, mpie_bit = 7;  // of mstatus
constexpr std::uint64_t mpp_machine = std::uint64_t{3} << 11;
constexpr std::uint64_t extensions = bit('a' - 'a') | bit('c' - 'a') | bit('i' - 'a') | bit('m' - 'a');
constexpr std::uint64_t vectored = 1;  // mtvec.MODE

constexpr bool in(unsigned number, unsigned first, unsigned last) { return number >= first && number <= last; }

}  // namespace

std::optional<std::uint64_t> CsrFile::read(unsigned number, const Counts& now) const {
  const std::uint64_t width = wide_ ? ~std::uint64_t{0} : 0xffff'ffffU;
  const bool of_counter = number >> 8 == csr::mcycle >> 8 || number >> 8 == csr::cycle >> 8;
  const bool upper = of_counter && !wide_ && (number & csr::upper_half) != 0;
  const unsigned counter = upper ? number - csr::upper_half : number;
  const auto half = [&](std::uint64_t count) { return upper ? count >> 32 : count & width; };
  if (counter == csr::mcycle || counter == csr::cycle) return half(now.cycles + cycle_offset_);
  if (counter == csr::minstret || counter == csr::instret) return half(now.instructions + instret_offset_);
  if (in(counter, csr::mhpmcounter3, csr::mhpmcounter31)) return 0;
  if (in(number, csr::mhpmevent3, csr::mhpmevent31)) return 0;
  switch (number) {
    case csr::mstatus: return mpp_machine | (interrupts_enabled_ ? bit(mie_bit) : 0) | (enabled_before_trap_ ? bit(mpie_bit) : 0);
    case csr::misa: return extensions | (wide_ ? std::uint64_t{2} << 62 : std::uint64_t{1} << 30);
    case csr::mie: return mie_;
    case csr::mip: return mip_;
    case csr::mtvec: return mtvec_;
    case csr::mscratch: return mscratch_;
    case csr::mepc: return mepc_;
    case csr::mcause: return mcause_;
    case csr::mtval: return mtval_;
    case csr::mstatush:
      if (wide_) return std::nullopt;
      return 0;
    case csr::mcountinhibit:
    case csr::mvendorid:
    case csr::marchid:
    case csr::mimpid:
    case csr::mhartid:
    case csr::mconfigptr: return 0;
    default: return std::nullopt;
  }
}

void CsrFile::write_counter(unsigned number, std::uint64_t value, const Counts& now) {
  const bool upper = (number & csr::upper_half) != 0;
  const bool cycles = (number & ~csr::upper_half) == csr::mcycle;
  std::uint64_t& offset = cycles ? cycle_offset_ : instret_offset_;
  const std::uint64_t counted = cycles ? now.cycles : now.instructions;
  const std::uint64_t old = counted + offset;
  std::uint64_t wanted = value;
  if (!wide_) wanted = upper ? value << 32 | (old & 0xffff'ffffU) : (old & ~std::uint64_t{0xffff'ffff}) | value;
  offset = wanted - counted;
}

bool CsrFile::write(unsigned number, std::uint64_t value, const Counts& now) {
  if (!read(number, now) || number >> 10 == 3) return false;
  const std::uint64_t written = wide_ ? value : value & 0xffff'ffffU;
  switch (number) {
    case csr::mstatus:
      interrupts_enabled_ = (written & bit(mie_bit)) != 0;
      enabled_before_trap_ = (written & bit(mpie_bit)) != 0;
      return true;
    case csr::mie: mie_ = written & all_lines; return true;
    case csr::mtvec: mtvec_ = written & ~std::uint64_t{2}; return true;
    case csr::mscratch: mscratch_ = written; return true;
    case csr::mepc: mepc_ = written & ~std::uint64_t{1}; return true;
    case csr::mcause: mcause_ = written; return true;
    case csr::mtval: mtval_ = written; return true;
    case csr::mcycle:
    case csr::minstret:
    case csr::mcycle + csr::upper_half:
    case csr::minstret + csr::upper_half: write_counter(number, written, now); return true;
    default: return true;  // what is always zero, misa, and mip, whose lines are devices'
  }
}

void CsrFile::set_pending(unsigned line, bool raised) { mip_ = raised ? mip_ | bit(line) : mip_ & ~bit(line); }

std::uint64_t CsrFile::interrupt_cause() const {
  const std::uint64_t ready = mip_ & mie_;
  for (const unsigned line : {interrupt::external, interrupt::software, interrupt::timer})
    if ((ready & bit(line)) != 0) return interrupt_bit() | line;
  return 0;
}

std::uint64_t CsrFile::enter(std::uint64_t cause, std::uint64_t pc, std::uint64_t value) {
  mcause_ = cause;
  mepc_ = pc;
  mtval_ = value;
  enabled_before_trap_ = interrupts_enabled_;
  interrupts_enabled_ = false;
  const std::uint64_t base = mtvec_ & ~std::uint64_t{3};
  const bool by_cause = (mtvec_ & vectored) != 0 && (cause & interrupt_bit()) != 0;
  return by_cause ? base + 4 * (cause & ~interrupt_bit()) : base;
}

std::uint64_t CsrFile::leave() {
  interrupts_enabled_ = enabled_before_trap_;
  enabled_before_trap_ = true;
  return mepc_;
}

}  // namespace tessera::riscv
