#pragma once
// The caches of a hart, and its TCM beside them: which accesses miss, and what the hart waits for. A dirty victim leaves from a write
// buffer, behind the line that takes its place: the hart does not wait for it. Content stays in the memory, and what a DMA writes past a
// cache leaves its tags alone: firmware that kept such a line would have to discard it, at no cost here. What lies in the TCM is in no
// cache.
#include <cstdint>
#include <optional>

#include "base/line_cache.hpp"
#include "processor/hart_timing.hpp"

namespace tessera::riscv {

class HartCaches {
 public:
  /// InputError where a cache's sizes do not fit each other.
  explicit HartCaches(const HartTiming& timing);
  /// Who says what a line takes; null, as at first: HartTiming's line_fill.
  void set_lines(LineMiss* lines) { lines_ = lines; }
  /// Null, as at first: nobody, and a memory of one cycle is not looked at.
  void set_tight_accesses(TightAccesses* counts) { tight_ = counts; }

  struct Figures {
    std::uint64_t hits = 0;
    std::uint64_t misses = 0;
    std::uint64_t write_backs = 0;
    std::uint64_t waited = 0;  ///< cycles that the hart waited for lines
  };

  [[nodiscard]] bool of_code() const { return code_.has_value(); }
  [[nodiscard]] bool of_data() const { return data_.has_value(); }
  /// Of the code cache; 0: there is none.
  [[nodiscard]] std::uint64_t code_line() const { return code_ ? code_->line_bytes() : 0; }

  /// Whether loads and stores are to be looked at: they may take other cycles than those of their classes, or are counted.
  [[nodiscard]] bool looks_at_data() const { return of_data() || tcm_.waits() || tight_ != nullptr; }

  /// Cycles that the hart waits for the lines of these bytes of code, from `cycle` on; with a code cache.
  std::uint64_t fetch(std::uint64_t address, std::uint64_t bytes, std::uint64_t cycle) {
    return tcm_.holds(address) ? 0 : touch(*code_, code_figures_, {address, bytes, false}, cycle);
  }
  /// Cycles that a load or store from `cycle` on takes beyond those of its class (HartTiming::cycles): in the TCM it looks up no cache.
  std::int64_t access(std::uint64_t address, std::uint64_t bytes, bool write, std::uint64_t cycle) {
    if (tcm_.holds(address)) {
      if (tight_ != nullptr) tight_->tight_access(address, bytes);
      return static_cast<std::int64_t>(tcm_.access(address, bytes)) - look_up_;
    }
    return data_ ? static_cast<std::int64_t>(touch(*data_, data_figures_, {address, bytes, write}, cycle)) : 0;
  }

  void clear_code();
  void clear();

  [[nodiscard]] const Figures& code() const { return code_figures_; }
  [[nodiscard]] const Figures& data() const { return data_figures_; }

 private:
  struct Touch {
    std::uint64_t address, count;
    bool write;
  };
  std::uint64_t touch(LineCache& cache, Figures& figures, const Touch& bytes, std::uint64_t cycle);
  std::uint64_t line(const Touch& bytes, std::uint64_t cycle);

  LineMiss* lines_ = nullptr;
  TightAccesses* tight_ = nullptr;
  std::uint64_t line_fill_;
  std::int64_t look_up_;
  TightMemory tcm_;
  std::optional<LineCache> code_;
  std::optional<LineCache> data_;
  Figures code_figures_;
  Figures data_figures_;
};

}  // namespace tessera::riscv
