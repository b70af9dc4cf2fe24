#pragma once
// Runs a hart in the drive's calendar: in slices that end where something else happens, at the latest after `quantum`.
//
// A register is read or written at the simulated time of its instruction. An interrupt that an action of the calendar raises is taken at
// the next instruction; one that another process of the kernel raises may be taken up to `quantum` late.
#include <functional>
#include <string>

#include "base/address.hpp"
#include "base/signal.hpp"
#include "base/timeline.hpp"
#include "base/units.hpp"
#include "firmware/ports/memory_port.hpp"
#include "machine/mover_unit.hpp"
#include "machine/register_file.hpp"
#include "processor/hart.hpp"

namespace tessera {

namespace riscv {
class HartProfile;
}

/// "a load where nothing is (cause 5, value 0x0), and no handler for it".
[[nodiscard]] std::string trap_sentence(const riscv::Hart::Fault& trap);

/// A debugger in front of the hart. Simulated time stands still while it is asked.
class HartDebugger {
 public:
  /// A hart is about to begin, in place of one that has gone; returns when it may, and whether it is to stop behind its next instruction.
  [[nodiscard]] virtual bool begins(riscv::Hart& hart, const riscv::Memory& memory, const RegisterFile& registers) = 0;
  /// The hart is no more.
  virtual void ends() = 0;
  /// The hart stands still; returns as begins().
  [[nodiscard]] virtual bool stopped(riscv::Stop reason) = 0;
  /// Whether somebody wants the hart to stop; asked at each slice.
  [[nodiscard]] virtual bool wants_stop() = 0;
  /// The run is about to end with this sentence.
  virtual void failed(const std::string& sentence) = 0;

 protected:
  ~HartDebugger() = default;
};

class HartDriver final : public HeldProcessor, private TimelineListener, private riscv::LineMiss, private riscv::TightAccesses {
 public:
  struct Observer {
    std::function<std::string()> place;    ///< where the hart is, in a few words, for a fault's first line
    std::function<std::string()> account;  ///< its registers and who called whom, for the lines behind that
    std::function<void(Picoseconds)> worked;
    Signal works{};  ///< 0: it waits for an interrupt
    /// When a register that is read at `at` has come over the bus: the hart stands still until then. A write is posted.
    std::function<Picoseconds(std::uint32_t bytes, Picoseconds at)> register_read;
    /// When a line of its caches that is to move at `at` has crossed the bus, from the DRAM or to it.
    std::function<Picoseconds(DramAddress line, std::uint32_t bytes, Access access, Picoseconds at)> move_line;
    /// Where the hart is, every few cycles while `looked_at` says that somebody wants to know. None: nobody.
    std::function<void(Picoseconds)> look{};
    std::function<void(Picoseconds)> rest{};  ///< it waits for an interrupt, where looks come
    std::function<bool()> looked_at{};
    /// A load or store in the TCM while it runs in time. None: nobody counts them.
    std::function<void(DramAddress, std::uint32_t bytes)> tcm_access{};
  };

  HartDriver(Timeline& timeline, riscv::Hart& hart, RegisterFile& registers, Hertz clock, Observer observer);
  ~HartDriver();
  HartDriver(const HartDriver&) = delete;
  HartDriver& operator=(const HartDriver&) = delete;

  /// Calls `ask`, and runs the hart in no time until it waits for an interrupt, or `done` says so behind an access to a register. Before
  /// start(), or while it waits.
  void run_untimed(const std::function<void()>& ask, const std::function<bool()>& done);
  /// From now on it runs in time.
  void start();
  /// It executes nothing more.
  void stop();
  /// Its external interrupt has changed.
  void set_interrupt(bool pending);
  /// It waits for an interrupt, and has nothing else to do.
  [[nodiscard]] bool waits() const { return state_ == State::waiting; }
  /// Null: there is none.
  void attach(HartDebugger* debugger, const riscv::Memory& memory);
  /// Counts what the hart does in time. Null: nobody does.
  void count(riscv::HartProfile* profile, const riscv::Memory& memory);

  // HeldProcessor
  [[nodiscard]] bool timed() const override { return timed_; }
  void hold() override { held_ = true; }
  void release(Picoseconds at) override;

  static constexpr Picoseconds quantum{1'000'000};  ///< 1 us

 private:
  enum class State : std::uint8_t {
    ready,    // to run on
    device,   // before an access to a register
    holding,  // in it
    waiting,  // for an interrupt
    stopped
  };

  void on_time(std::uint64_t) override;
  std::uint64_t miss(std::uint64_t address, std::uint64_t bytes, bool write, std::uint64_t cycle) override;
  void tight_access(std::uint64_t address, std::uint64_t bytes) override;
  void run();
  [[nodiscard]] riscv::Stop advance(std::uint64_t limit);
  void halt(riscv::Stop reason);
  void halt_behind_step();
  void look() const;
  bool access_device();
  void end_access();
  void post(Picoseconds at);
  /// Whole cycles that last so long.
  [[nodiscard]] std::uint64_t cycles_in(Picoseconds time) const { return (time + cycle_ - Picoseconds(1)) / cycle_; }
  [[nodiscard]] Picoseconds time_of(std::uint64_t cycle) const { return slice_time_ + cycle_ * (cycle - slice_cycle_); }
  void begin_slice();
  [[noreturn]] void fault(const std::string& sentence) const;
  [[noreturn]] void report_trap() const;

  Timeline& timeline_;
  riscv::Hart& hart_;
  RegisterFile& registers_;
  Picoseconds cycle_;
  Observer observer_;
  HartDebugger* debugger_ = nullptr;
  riscv::HartProfile* profile_ = nullptr;
  const riscv::Memory* memory_ = nullptr;  // of the profile
  bool looked_at_ = false;
  bool stepping_ = false;  // the debugger wants it to stop behind the next instruction
  State state_ = State::ready;
  bool timed_ = false;
  bool held_ = false;
  bool posted_ = false;
  std::uint64_t loaded_ = 0;  // what the access in hand has read
  Picoseconds slice_time_;    // when the hart was at slice_cycle_
  std::uint64_t slice_cycle_ = 0;
};

}  // namespace tessera
