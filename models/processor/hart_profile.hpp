#pragma once
// Where the cycles of a hart go: to which instruction, for which cause, and under which calls. It runs the hart one instruction at a time,
// which changes nothing of what the hart does, nor when.
//
// Calls are what the calling convention says: a jump that keeps its link in ra or t0 calls, one to it returns. A jump into another function
// that keeps no link (a tail call, a coroutine that goes on) takes the place of the function that it leaves. A trap is a call that MRET
// returns from.
#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include "processor/hart.hpp"

namespace tessera::riscv {

class HartProfile {
 public:
  enum class Cause : std::uint8_t {
    execute,   ///< cycles of the instruction's class
    load_use,  ///< the one before loads what it takes
    branch,    ///< the pipeline is filled again after a transfer predicted wrong
    code,      ///< lines of the code cache, words of code in the TCM
    data,      ///< lines of the data cache, words of data in the TCM
    device,    ///< a register's way over the bus, a mover's operation
    trap,      ///< entering a trap, and MRET
    asleep     ///< WFI: no work
  };
  static constexpr std::size_t causes = 8;
  static constexpr std::array<const char*, causes> names{"execute", "load_use", "branch", "code", "data", "device", "trap", "asleep"};

  struct Count {
    std::uint64_t executed = 0;  ///< instructions
    std::array<std::uint64_t, causes> cycles{};
  };
  /// The calls of one function from one instruction, and all that went on in them.
  struct Calls {
    std::uint64_t calls = 0;
    Count inside;
  };
  /// A function under its callers.
  struct Context {
    std::uint32_t caller = 0;    ///< another context, of a lower number; the first is its own
    std::uint64_t function = 0;  ///< where it was entered
    std::uint64_t cycles = 0;    ///< of its own, in which the hart worked
  };

  /// `function_at`: where the function begins that covers an address; 0: none does.
  explicit HartProfile(std::function<std::uint64_t(std::uint64_t)> function_at) : function_at_(std::move(function_at)) {}

  /// A new hart, after a power-on; or one that has gone on elsewhere.
  void begins(const Hart& hart, const Memory& memory);
  /// As Hart::run(), and counts.
  Stop advance(Hart& hart, std::uint64_t cycle_limit);

  /// By address of the instruction.
  [[nodiscard]] std::map<std::uint64_t, Count> instructions() const;
  /// By address of the call and of what it calls; those that have not returned, as far as they went.
  [[nodiscard]] std::map<std::pair<std::uint64_t, std::uint64_t>, Calls> calls() const;
  [[nodiscard]] const std::vector<Context>& contexts() const { return contexts_; }
  /// The lowest stack pointer that was seen, and where; none: nothing was run.
  [[nodiscard]] std::uint64_t lowest_stack() const { return lowest_stack_; }
  [[nodiscard]] std::uint32_t lowest_context() const { return lowest_context_; }

 private:
  /// What is known of an instruction.
  struct Place {
    Instruction instruction;
    std::uint8_t bytes = 0;  ///< 0: not looked at yet
    std::uint64_t function = 0;
    Count count;
  };
  static constexpr std::uint64_t places_in_page = page_bytes / 2;
  using Page = std::array<Place, places_in_page>;

  struct Frame {
    std::uint64_t site = 0;
    std::uint64_t back = 0;
    std::uint64_t callee = 0;
    Count before;  ///< of the whole profile
    std::uint32_t context = 0;
    bool tail = false;
    bool trap = false;
  };
  enum class Pending : std::uint8_t { nothing, device, sleep };

  [[nodiscard]] Place& place(std::uint64_t pc);
  void look(Place& place, std::uint64_t pc) const;
  void settle(const Hart& hart);
  Stop step(Hart& hart, std::uint64_t limit);
  void retired(const Hart& hart, Place& here, std::uint64_t pc, std::int64_t rest, std::int64_t data);
  void follow(const Hart& hart, const Place& here, std::uint64_t pc);
  void charge(Place& here, Cause cause, std::int64_t cycles);
  void count(Place& here);
  void enter(const Frame& frame);
  void leave_to(std::uint64_t address);
  void pop();
  void note_stack(const Hart& hart);

  std::function<std::uint64_t(std::uint64_t)> function_at_;
  const Memory* memory_ = nullptr;
  bool wide_ = true;
  std::unordered_map<std::uint64_t, std::unique_ptr<Page>> pages_;
  std::uint64_t recent_ = ~std::uint64_t{0};
  Page* recent_page_ = nullptr;

  Count all_;
  std::vector<Frame> frames_;
  std::vector<Context> contexts_;
  std::map<std::pair<std::uint32_t, std::uint64_t>, std::uint32_t> context_of_;
  std::map<std::pair<std::uint64_t, std::uint64_t>, Calls> calls_;
  std::uint32_t context_ = 0;
  std::uint64_t lowest_stack_ = ~std::uint64_t{0};
  std::uint32_t lowest_context_ = 0;

  std::uint64_t cycles_ = 0;  // of the hart, as far as they are charged
  std::uint64_t instructions_ = 0;
  std::uint64_t at_ = 0;  // the instruction that is pending
  Pending pending_ = Pending::nothing;
};

}  // namespace tessera::riscv
