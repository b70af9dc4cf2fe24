#pragma once
// What the family counts, with the names and meanings of docs/guide/metrics.md.
#include <cstdint>

#include "base/metrics.hpp"
#include "base/units.hpp"

namespace tessera {

/// What rewriting a zone spends its time on; the rest is for its record and for waiting.
struct RewriteTimes {
  Picoseconds band_read;
  Picoseconds buffer_read;
  Picoseconds band_write;
  RewriteTimes& operator+=(const RewriteTimes& more) {
    band_read += more.band_read;
    buffer_read += more.buffer_read;
    band_write += more.band_write;
    return *this;
  }
};

struct ZoneStatistics {
  DurationHistogram rmw;       ///< write-backs that rewrote their zone
  RewriteTimes rmw_times;      ///< sums over those
  std::uint64_t rmw_free = 0;  ///< write-backs behind the write pointer
  std::uint64_t padding = 0;   ///< sectors
  std::uint64_t victims = 0;   ///< sectors written back
  std::uint64_t written = 0;   ///< sectors written to zones, padding included

  void report(MetricSet& metrics) const;
};

/// Kept by the layer beside those.
struct BufferStatistics {
  std::uint64_t sectors_written = 0;  ///< by the host
  std::uint64_t updates = 0;          ///< of them, of sectors that were in the buffer
  std::uint64_t reads_buffer = 0;     ///< sectors read from the buffer
  std::uint64_t reads_zone = 0;       ///< sectors read from their zones
  DurationHistogram cleaning;
  Tally dirty_zones;  ///< zones with sectors in the buffer when a cleaning began

  void report(MetricSet& metrics) const;
};

}  // namespace tessera
