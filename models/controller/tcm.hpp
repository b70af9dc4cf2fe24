#pragma once
// The CPU's tightly coupled memory: it lies beside the core, in front of cache and bus. DMA reaches it through its port on the bus. Its
// bytes exist where firmware reaches it by address; what linked firmware keeps there by calls is the simulator's own.
//
// The costs of operations (cpu_config.hpp) are those with memory that answers in one cycle: a TCM of that latency adds nothing to them, one
// of L cycles L - 1 for each word.
//
// Not modelled: contention of core and DMA for it (the port takes the cycles that the core leaves), bit errors, its energy.
#include <array>
#include <span>
#include <vector>

#include "base/metrics.hpp"
#include "controller/cpu_config.hpp"
#include "controller/memory_space.hpp"

namespace tessera {

class Tcm {
 public:
  Tcm(const TcmConfig& config, Hertz clock, bool has_bytes = false);

  /// Its addresses are behind those of any DRAM.
  static constexpr DramAddress base{std::uint64_t{1} << 48};
  [[nodiscard]] static bool holds(DramAddress address) { return address >= base; }

  /// Reservations.
  DramAddress allocate(MemoryCategory category, Bytes size, std::string_view what);
  void close(const char* counted) { space_.close(counted); }
  [[nodiscard]] bool overflows() const { return space_.overflows(); }
  [[nodiscard]] Bytes reserved(MemoryCategory category) const { return space_.reserved(category); }
  /// Power cut: everything is given back, and its bytes are 0.
  void clear();
  /// None where they do not exist.
  [[nodiscard]] std::span<std::byte> bytes() { return bytes_; }
  [[nodiscard]] std::span<const std::byte> bytes() const { return bytes_; }

  /// What an access of the CPU takes beyond the cycles of its operation. What nobody has reserved there counts as `code`: firmware that
  /// works with addresses reaches all of it.
  Picoseconds access(DramAddress address, std::uint32_t bytes);
  /// An access whose category and time are known (time_of).
  void count(MemoryCategory category, Picoseconds time) {
    ++accesses_[static_cast<std::size_t>(category)];
    time_ += time;
  }
  [[nodiscard]] Picoseconds time_of(DramAddress address, std::uint64_t bytes) const {
    return word_time_ * (((address.value() + bytes - 1) >> word_shift_) - (address.value() >> word_shift_) + 1);
  }
  /// DMA has moved so much in or out.
  void moved(Bytes bytes) { dma_bytes_ += bytes; }

  void report(MetricSet& metrics) const;

 private:
  struct Region {
    DramAddress end;
    MemoryCategory category;
  };

  MemorySpace space_;
  std::vector<std::byte> bytes_;
  std::vector<Region> regions_;  // in order of addresses
  Picoseconds word_time_;        // beyond its first cycle
  unsigned word_shift_;
  std::array<std::uint64_t, memory_categories> accesses_{};
  Picoseconds time_;
  Bytes dma_bytes_;
};

}  // namespace tessera
