#pragma once
// The control and status registers of a hart with machine mode alone (volume II, chapter 3), and what a trap does to them.
//
// Present: misa, mvendorid, marchid, mimpid, mhartid, mconfigptr, mstatus, mie, mip, mtvec, mscratch, mepc, mcause, mtval; mcycle,
// minstret, the other counters and their events as zero, mcountinhibit as zero (all count, always); cycle and instret of Zicntr. Not
// present: time, which is a device's; registers of other modes, of physical memory protection and of debug triggers.
#include <cstdint>
#include <optional>

namespace tessera::riscv {

namespace csr {
inline constexpr unsigned mstatus = 0x300, misa = 0x301, mie = 0x304, mtvec = 0x305, mstatush = 0x310, mcountinhibit = 0x320;
inline constexpr unsigned mhpmevent3 = 0x323, mhpmevent31 = 0x33f;
inline constexpr unsigned mscratch = 0x340, mepc = 0x341, mcause = 0x342, mtval = 0x343, mip = 0x344;
inline constexpr unsigned mcycle = 0xb00, minstret = 0xb02, mhpmcounter3 = 0xb03, mhpmcounter31 = 0xb1f;
inline constexpr unsigned upper_half = 0x80;  ///< of a counter on RV32: its number on top of the lower half's
inline constexpr unsigned cycle = 0xc00, instret = 0xc02;
inline constexpr unsigned mvendorid = 0xf11, marchid = 0xf12, mimpid = 0xf13, mhartid = 0xf14, mconfigptr = 0xf15;
}  // namespace csr

/// Causes of exceptions (volume II, table 3.6).
namespace cause {
inline constexpr std::uint64_t fetch_access = 1, illegal_instruction = 2, breakpoint = 3, load_misaligned = 4, load_access = 5,
                               store_misaligned = 6, store_access = 7, machine_ecall = 11;
}  // namespace cause

/// Bits of mie and mip, and causes of interrupts.
namespace interrupt {
inline constexpr unsigned software = 3, timer = 7, external = 11;
}  // namespace interrupt

class CsrFile {
 public:
  explicit CsrFile(bool wide) : wide_(wide) {}

  /// What the hart counts.
  struct Counts {
    std::uint64_t cycles = 0;
    std::uint64_t instructions = 0;
  };

  /// Nothing where there is no such register.
  [[nodiscard]] std::optional<std::uint64_t> read(unsigned number, const Counts& now) const;
  /// False where there is none, or it is read-only. `now`: the counts behind the instruction that writes.
  bool write(unsigned number, std::uint64_t value, const Counts& now);

  void set_pending(unsigned line, bool raised);
  /// An interrupt is pending and enabled on its line: WFI ends, whatever mstatus.MIE says.
  [[nodiscard]] bool wakes() const { return (mip_ & mie_) != 0; }
  [[nodiscard]] bool interrupted() const { return interrupts_enabled_ && (mip_ & mie_) != 0; }
  /// The cause of the one that is taken first: external, software, timer.
  [[nodiscard]] std::uint64_t interrupt_cause() const;

  [[nodiscard]] bool has_handler() const { return mtvec_ != 0; }
  /// A trap: gives where the handler is.
  std::uint64_t enter(std::uint64_t cause, std::uint64_t pc, std::uint64_t value);
  /// MRET: gives where the program goes on.
  std::uint64_t leave();

 private:
  [[nodiscard]] std::uint64_t interrupt_bit() const { return wide_ ? std::uint64_t{1} << 63 : std::uint64_t{1} << 31; }
  void write_counter(unsigned number, std::uint64_t value, const Counts& now);

  bool wide_;
  bool interrupts_enabled_ = false;   // mstatus.MIE
  bool enabled_before_trap_ = false;  // mstatus.MPIE
  std::uint64_t mie_ = 0;
  std::uint64_t mip_ = 0;
  std::uint64_t mtvec_ = 0;
  std::uint64_t mscratch_ = 0;
  std::uint64_t mepc_ = 0;
  std::uint64_t mcause_ = 0;
  std::uint64_t mtval_ = 0;
  std::uint64_t cycle_offset_ = 0;  // mcycle less the hart's cycles
  std::uint64_t instret_offset_ = 0;
};

}  // namespace tessera::riscv
