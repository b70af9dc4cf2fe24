#pragma once
// A cache of the CPU in front of its port to the bus: a hit costs no bus time, a miss fetches its line over bus and DRAM, a dirty victim is
// written back behind it.
//
// The costs of operations (cpu_config.hpp) hold one cycle of each look-up: a cache of that latency adds nothing to a hit, one of L cycles
// L - 1 for each line. The victim leaves from a write buffer: the CPU does not wait for it.
//
// Not modelled: content and coherence (what DMA moves are buffers, no tables; firmware that hands a table to DMA would have to clean its
// lines first, at no cost here), misses under way while the core goes on.
#include <cstdint>

#include "base/line_cache.hpp"
#include "base/metrics.hpp"
#include "controller/device_links.hpp"

namespace tessera {

class CpuCache {
 public:
  /// `name` is the section of its parameters in `controller`; lines end with the DRAM's `capacity`.
  CpuCache(const char* name, const CacheConfig& config, Hertz clock, Bytes capacity, CpuLink& bus);

  /// Gives when the CPU has all of it.
  Picoseconds access(DramAddress address, std::uint64_t bytes, Access access, Picoseconds at);

  /// The power fails: it is empty.
  void clear() { tags_.clear(); }
  /// Adds `cpu.<name>.*`.
  void report(MetricSet& metrics) const;

 private:
  void move_line(DramAddress line, Access access, Picoseconds& at);

  const char* name_;
  LineCache tags_;
  Picoseconds look_up_;  // beyond its first cycle
  Bytes capacity_;
  CpuLink& bus_;
  std::uint64_t hits_ = 0;
  std::uint64_t misses_ = 0;
  std::uint64_t write_backs_ = 0;
};

}  // namespace tessera
