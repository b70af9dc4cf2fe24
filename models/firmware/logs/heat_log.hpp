#pragma once
// Which tracks are hot: the numbers of the tracks written during an interval, sorted and counted at its end (Hajkazemi et al.,
// section 2.2, "Memory usage"). Counts start anew with each interval, so they follow a workload that drifts.
#include <cstdint>
#include <span>
#include <vector>

#include "base/units.hpp"
#include "firmware/ports/cpu_port.hpp"
#include "firmware/tables/dram_table.hpp"

namespace tessera {

struct TrackHeat {
  std::uint32_t track = 0;
  std::uint32_t writes = 0;
  std::uint32_t low = 0;   ///< of these, writes that the layer marked as at the track's low end
  std::uint32_t high = 0;  ///< and at its high end
};

class HeatLog {
 public:
  /// An interval is `interval` writes. Tracks below 2^30.
  HeatLog(CpuPort& cpu, MemoryPort& memory, std::uint32_t interval);

  void note(std::uint64_t track, bool low = false, bool high = false);
  [[nodiscard]] bool interval_over() const { return used_ == log_.size(); }

  /// Ends the interval and counts it, charged as a sort of the log.
  void count();
  /// Of the interval counted last: the hottest track first, of equal ones the lower number.
  [[nodiscard]] std::span<const TrackHeat> hottest() const { return hottest_; }
  [[nodiscard]] std::uint32_t writes_of(std::uint64_t track) const;

  [[nodiscard]] std::uint64_t intervals() const { return intervals_; }
  /// Three bytes a write, the paper's account.
  [[nodiscard]] Bytes paper_bytes() const { return Bytes(3 * log_.size()); }
  [[nodiscard]] Bytes bytes() const { return Bytes(log_.size() * sizeof(std::uint32_t)); }

 private:
  CpuPort& cpu_;
  DramArray<std::uint32_t> log_;  // track << 2 | high << 1 | low
  std::uint32_t used_ = 0;
  std::vector<std::uint32_t> sorted_;
  std::vector<TrackHeat> by_track_;
  std::vector<TrackHeat> hottest_;
  std::uint64_t intervals_ = 0;
};

}  // namespace tessera
