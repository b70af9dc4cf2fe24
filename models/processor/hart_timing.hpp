#pragma once
// Cycles of a hart's instructions: a single-issue in-order pipeline with static branch prediction.
//
// Published (SiFive FE310-G000 manual, sections 3.2 and 3.3, of its E31 core): most instructions a cycle; a word loaded is there for the
// second instruction behind, a byte or halfword for the third; multiplication five cycles, division 2 to 33 by its operands; a control
// transfer predicted right costs nothing, one predicted wrong three cycles; CSR reads three. Estimates of ours: the middle of the range for
// divisions, twice that with 64-bit operands; results of multiplications, divisions and CSRs are used at once; atomic operations are a
// load, its latency and a store; a trap empties the pipeline and fetches its handler; a line of a cache comes after thirty cycles. The E31
// predicts by history and target; here backward branches and returns are predicted taken, and other indirect jumps wrong.
#include <cstdint>

#include "base/line_cache.hpp"
#include "base/parameter.hpp"
#include "processor/instruction.hpp"

namespace tessera::riscv {

/// Memory tightly coupled to the hart: it lies beside the core, in front of caches and bus, and answers with a word at a time. Of a word
/// the core holds the one that it fetched last, so that instructions behind each other take a fetch for each word, not for each
/// instruction.
struct TightMemory {
  std::uint64_t base = 0;
  std::uint64_t bytes = 0;    ///< 0: there is none
  std::uint32_t latency = 1;  ///< cycles of a word, the first of which is in the cycles of an instruction
  std::uint32_t width = 8;    ///< bytes of a word

  [[nodiscard]] bool holds(std::uint64_t address) const { return address - base < bytes; }
  /// Whether anything waits for it.
  [[nodiscard]] bool waits() const { return bytes != 0 && latency > 1; }
  /// Cycles that a load or store of these bytes waits.
  [[nodiscard]] std::uint64_t access(std::uint64_t address, std::uint64_t count) const {
    return std::uint64_t{latency - 1} * ((address + count - 1) / width - address / width + 1);
  }
  /// Cycles that the fetch of an instruction waits, behind one of the byte at `last`; none where it lies elsewhere.
  [[nodiscard]] std::uint32_t fetch(std::uint64_t address, std::uint64_t count, std::uint64_t last) const {
    if (!waits() || !holds(address)) return 0;
    const std::uint64_t first = address / width, end = (address + count - 1) / width, held = last / width;
    if (end == held) return 0;
    return (latency - 1) * static_cast<std::uint32_t>(end - first + (first == held ? 0 : 1));
  }
};

struct HartTiming {
  std::uint32_t alu = 1;
  std::uint32_t multiply = 5;
  std::uint32_t divide = 17;
  std::uint32_t divide_wide = 33;
  std::uint32_t load = 1;
  std::uint32_t load_use = 1;
  std::uint32_t narrow_load_use = 2;
  std::uint32_t store = 1;
  std::uint32_t atomic = 4;
  std::uint32_t branch = 1;
  std::uint32_t jump = 1;
  std::uint32_t misprediction = 3;
  std::uint32_t csr = 3;
  std::uint32_t trap = 5;
  std::uint32_t line_fill = 30;  ///< of a hart without a memory that says what its lines take: no parameter of a drive
  CacheConfig code_cache{};
  CacheConfig data_cache{};
  TightMemory tcm{};  ///< no parameter of the hart's: a drive's is controller.tcm

  void describe(ParameterVisitor& visitor);

  /// Of an instruction that stalls for nothing; of a conditional branch that was predicted right.
  [[nodiscard]] std::uint32_t cycles(const Instruction& instruction) const;
  /// Of a load, store or atomic operation, in the data cache: the cycles behind the first, which is in its class.
  [[nodiscard]] std::uint32_t data_look_up() const { return data_cache.size == Bytes{} ? 0 : data_cache.latency - 1; }
  /// Of a conditional branch.
  [[nodiscard]] std::uint32_t branch_cycles(bool backward, bool taken) const { return branch + (backward == taken ? 0 : refill()); }
  /// Of the pipeline, behind a transfer predicted wrong. The look-up of the code cache is part of it, and `misprediction` holds its first
  /// cycle.
  [[nodiscard]] std::uint32_t refill() const { return misprediction + (code_cache.size == Bytes{} ? 0 : code_cache.latency - 1); }
  /// What an instruction waits that takes a register which the one before it has loaded.
  [[nodiscard]] std::uint32_t stall(const Instruction& loading, const Instruction& next) const;
};

/// Where lines of the caches come from and go to.
class LineMiss {
 public:
  /// Cycles that the line of so many bytes at `address` takes to be fetched (or, with `write`, to be written back), from `cycle` on.
  virtual std::uint64_t miss(std::uint64_t address, std::uint64_t bytes, bool write, std::uint64_t cycle) = 0;

 protected:
  ~LineMiss() = default;
};

/// Who counts the loads and stores in the tightly coupled memory.
class TightAccesses {
 public:
  virtual void tight_access(std::uint64_t address, std::uint64_t bytes) = 0;

 protected:
  ~TightAccesses() = default;
};

}  // namespace tessera::riscv
