#pragma once
// How often zones are written: counts that are halved now and then, and whether one of them is high.
#include <cstdint>

#include "firmware/layers/fluid/fluid_config.hpp"
#include "firmware/ports/cpu_port.hpp"
#include "firmware/tables/dram_table.hpp"

namespace tessera::fluid {

class ZoneHeat {
 public:
  ZoneHeat(MemoryPort& memory, CpuPort& cpu, std::uint32_t zones, const FluidConfig& config);

  /// `sectors` of `zone` are written.
  void count(std::uint32_t zone, std::uint32_t sectors);
  /// By share: at most hot_frac of the zones seen, rounded up, have as many writes or more. By mean: twice the mean and more.
  [[nodiscard]] bool hot(std::uint32_t zone) const;

  [[nodiscard]] Bytes bytes() const { return Bytes((counts_.size() + ranks_.size()) * sizeof(std::uint32_t)); }

 private:
  void halve();
  void rank(std::uint32_t count, std::int32_t change);
  [[nodiscard]] std::uint32_t zones_below(std::uint32_t count) const;

  CpuPort& cpu_;
  HotRule rule_;
  std::uint64_t hot_millionths_;
  std::uint64_t decay_;
  std::uint32_t most_;               // highest count that is told apart
  DramArray<std::uint32_t> counts_;  // by zone
  DramArray<std::uint32_t> ranks_;   // binary indexed tree over counts: how many zones have each
  std::uint64_t sum_ = 0;            // of the counts
  std::uint32_t seen_ = 0;           // zones with a count
  std::uint64_t since_halved_ = 0;   // sectors
};

}  // namespace tessera::fluid
