#pragma once
// What boots after a power cut or a restart cost: time, CPU time, and operations by kind, counted where the firmware's ports are. The same
// for every layer, as none of them counts itself.
#include <cstdint>
#include <optional>

#include "base/metrics.hpp"

namespace tessera {

/// What went through the controller's ports since it was made; these counters never start anew.
struct PortCounts {
  std::uint64_t media_reads = 0;  ///< steps
  std::uint64_t media_writes = 0;
  std::uint64_t sectors_read = 0;
  std::uint64_t sectors_written = 0;
  std::uint64_t flash_reads = 0;      ///< pages
  std::uint64_t flash_oob_reads = 0;  ///< out-of-band areas alone
  std::uint64_t flash_programs = 0;
  std::uint64_t flash_erases = 0;
  Picoseconds cpu;

  PortCounts& operator+=(const PortCounts& other);
  PortCounts& operator-=(const PortCounts& other);
};

class RecoveryFigures {
 public:
  /// The firmware begins to recover at `now`.
  void begin(const PortCounts& counts, Picoseconds now);
  /// It has recovered, or (`complete` false) the power failed again meanwhile: that counts in the sums alone.
  void end(const PortCounts& counts, Picoseconds now, bool complete);
  [[nodiscard]] bool under_way() const { return begin_.has_value(); }

  /// Adds `recovery.*`.
  void report(MetricSet& metrics) const;

 private:
  struct Recovery {
    PortCounts counts;
    Picoseconds time;
  };
  std::optional<Recovery> begin_;  // what had been counted by then, and when
  std::optional<Recovery> last_;   // that was complete
  Recovery sum_;
  std::uint64_t begun_ = 0;
  std::uint64_t complete_ = 0;
};

}  // namespace tessera
