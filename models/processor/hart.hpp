#pragma once
// A RISC-V hardware thread: RV32 or RV64 IMAC with Zicsr and Zifencei, machine mode alone (The RISC-V Instruction Set Manual, volume I
// version 20191213, volume II version 20211203).
//
// It runs until something outside of it is to be asked: the end of its time, a load or store that meets no memory, WFI. What time an
// instruction takes is a matter of HartTiming. Where its run is cut into calls (by limits, by a debugger) changes nothing of what it does,
// nor when.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "processor/code_blocks.hpp"
#include "processor/csr_file.hpp"
#include "processor/hart_caches.hpp"
#include "processor/hart_timing.hpp"
#include "processor/memory.hpp"
#include "processor/page_window.hpp"

namespace tessera::riscv {

/// A load or store of a device, which the hart waits for.
struct DeviceAccess {
  std::uint64_t address = 0;
  std::uint32_t bytes = 0;  ///< 1, 2, 4 or 8
  bool write = false;
  std::uint64_t value = 0;  ///< of a store
};

enum class Stop : std::uint8_t {
  limit,       ///< its time is over
  wait,        ///< WFI, and no enabled interrupt is pending
  device,      ///< a load or store that no memory holds: see device(), and end it with finish_device() or fail_device()
  breakpoint,  ///< before an instruction with a breakpoint of the debugger's
  watchpoint,  ///< behind an access that a watchpoint of the debugger's names: see watched()
  fault        ///< a trap while no handler is set (mtvec is 0), or within the handler's first instruction: see fault()
};

struct HartConfig {
  bool wide = true;  ///< RV64; else RV32
  HartTiming timing;
};

class Hart {
 public:
  Hart(const HartConfig& config, Memory& memory);
  Hart(const Hart&) = delete;
  Hart& operator=(const Hart&) = delete;

  /// As after power-on: registers and CSRs are 0, the counts too, and no interrupt is raised; breakpoints and watchpoints stay.
  void reset(std::uint64_t pc);

  /// Runs while cycles() is below `cycle_limit`: the last instruction begins before it, and may end behind it.
  Stop run(std::uint64_t cycle_limit);
  /// One instruction, or the entry into a trap. `limit` says that it is done.
  Stop step();
  /// As run(), of one instruction at most, or the entry into a trap: `limit` where it is done, or cycles() reached the limit before it.
  Stop run_one(std::uint64_t cycle_limit) { return run_blocks(cycle_limit, true); }

  /// The access that the hart stands before, at cycles().
  [[nodiscard]] const DeviceAccess& device() const { return device_; }
  /// It is done; `value` is what a load has got, in its lower bytes.
  void finish_device(std::uint64_t value);
  /// There is nothing: an access fault.
  void fail_device();

  [[nodiscard]] std::uint64_t cycles() const { return cycles_; }
  /// Time passes in which it does nothing; a cycle that was passed already changes nothing.
  void skip_to(std::uint64_t cycle) { cycles_ = std::max(cycles_, cycle); }
  [[nodiscard]] std::uint64_t instructions() const { return instructions_; }  ///< retired

  void set_external_interrupt(bool raised) { csr_.set_pending(interrupt::external, raised); }
  void set_timer_interrupt(bool raised) { csr_.set_pending(interrupt::timer, raised); }
  void set_software_interrupt(bool raised) { csr_.set_pending(interrupt::software, raised); }

  [[nodiscard]] std::uint64_t x(unsigned number) const { return x_.at(number); }
  void set_x(unsigned number, std::uint64_t value);
  [[nodiscard]] std::uint64_t pc() const { return pc_; }
  void set_pc(std::uint64_t pc);
  /// 0 where there is no such register.
  [[nodiscard]] std::uint64_t csr(unsigned number) const { return csr_.read(number, {cycles_, instructions_}).value_or(0); }
  bool set_csr(unsigned number, std::uint64_t value) { return csr_.write(number, value, {cycles_, instructions_}); }

  [[nodiscard]] bool wide() const { return wide_; }  ///< RV64
  [[nodiscard]] const HartTiming& timing() const { return timing_; }
  /// The load that the instruction at pc() may yet have to wait for; of no operation: none.
  [[nodiscard]] const Instruction& loading() const { return loading_; }
  [[nodiscard]] const HartCaches& caches() const { return caches_; }
  /// Who says what lines of its caches take; null, as at first: HartTiming's line_fill.
  void set_lines(LineMiss* lines) { caches_.set_lines(lines); }
  /// Who counts loads and stores in the tightly coupled memory; null, as at first: nobody.
  void set_tight_accesses(TightAccesses* counts) {
    caches_.set_tight_accesses(counts);
    looks_at_data_ = caches_.looks_at_data();
  }

  struct Fault {
    std::uint64_t cause = 0;  ///< as mcause would say
    std::uint64_t pc = 0;
    std::uint64_t value = 0;  ///< as mtval would say
  };
  [[nodiscard]] const Fault& fault() const { return fault_; }

  // What a debugger asks for.
  void set_breakpoint(std::uint64_t address) { blocks_.set_breakpoint(address); }
  void clear_breakpoint(std::uint64_t address) { blocks_.clear_breakpoint(address); }
  void set_watchpoint(std::uint64_t address, std::uint64_t bytes, bool read, bool write);
  void clear_watchpoint(std::uint64_t address, std::uint64_t bytes, bool read, bool write);
  /// The access that stopped at a watchpoint.
  [[nodiscard]] const DeviceAccess& watched() const { return watched_; }

  /// Memory was written past the hart, by a DMA or a debugger: code there is decoded anew, a reservation there is lost.
  void memory_written(std::uint64_t address, std::uint64_t bytes);

 private:
  struct Watchpoint {
    std::uint64_t address;
    std::uint64_t bytes;
    bool read;
    bool write;
    bool operator==(const Watchpoint&) const = default;
  };
  /// How an access went.
  enum class Access : std::uint8_t {
    done,
    last,   ///< done, and the block is left behind its instruction: code or time has changed, or a watchpoint was met
    failed  ///< a trap or a device's: see failed_ and device_
  };

  // hart.cpp
  Stop run_blocks(std::uint64_t limit, bool single);
  const Block* block_at_pc();
  void fetch_first(const Block& block);
  [[nodiscard]] std::uint64_t in_width(std::uint64_t value) const { return wide_ ? value : value & 0xffff'ffffU; }
  void retire(const Instruction& instruction, std::uint64_t next);
  /// False where that is a fault, which ends the run.
  bool trap(std::uint64_t cause, std::uint64_t value);
  std::optional<Stop> execute(const Block& block, std::uint64_t limit, bool single);
  template <class Word, bool data_timed>
  std::optional<Stop> execute(const Block& block, const Step* end);
  void arrive(const Block& block, const Step* next);
  std::optional<Stop> leave(const Block& block, const Step* at, Access access);
  template <class T>
  Access read(std::uint64_t address, T& value);
  template <class T>
  Access write(std::uint64_t address, T value);
  template <class T>
  Access atomic(const Instruction& instruction);
  Access read_elsewhere(std::uint64_t address, std::uint32_t bytes, std::uint64_t& value);
  Access write_elsewhere(std::uint64_t address, std::uint32_t bytes, std::uint64_t value);
  Access fail(const DeviceAccess& access);
  Access fail(std::uint64_t cause, std::uint64_t address);
  [[nodiscard]] bool watches_page(std::uint64_t address) const;
  bool watch(const DeviceAccess& access);
  std::optional<Stop> system(const Instruction& instruction, std::uint64_t next);
  bool access_csr(const Instruction& instruction);
  [[nodiscard]] std::uint64_t bits_at_pc() const;

  static constexpr std::uint64_t no_byte = ~std::uint64_t{0};

  bool wide_;
  HartTiming timing_;
  Memory& memory_;
  std::array<std::uint64_t, nowhere + 1> x_{};  // on RV32 with the upper half 0
  std::uint64_t pc_ = 0;
  std::uint64_t cycles_ = 0;
  std::uint64_t instructions_ = 0;
  CsrFile csr_;
  HartCaches caches_;
  bool looks_at_data_;  // HartCaches::looks_at_data()
  bool times_fetches_;  // of the TCM
  CodeBlocks blocks_;
  PageWindow readable_;
  PageWindow writable_;
  Instruction loading_;                       // the instruction before the one at pc_, if it is a load that one may have to wait for
  bool waiting_ = false;                      // in WFI
  std::optional<std::uint64_t> reservation_;  // LR's address
  std::optional<std::uint64_t> trapped_at_;   // instructions retired when the last trap was taken
  std::uint64_t unfetched_ = 0;               // where no instruction could be fetched
  std::uint64_t fetched_ = no_byte;           // address of the byte that was fetched last
  Fault failed_;                              // the trap that a failed access asks for
  Fault fault_;
  bool faulted_ = false;

  bool at_device_ = false;
  DeviceAccess device_;
  Instruction device_instruction_;
  std::uint64_t behind_device_ = 0;  // address of the next instruction

  std::optional<std::uint64_t> stopped_at_;  // instructions retired when a breakpoint stopped it: it goes on from there
  std::vector<Watchpoint> watchpoints_;
  bool watch_hit_ = false;
  DeviceAccess watched_;
};

}  // namespace tessera::riscv
