#pragma once
#include <cstdint>
#include <string>

#include "base/geometry.hpp"
#include "base/parameter.hpp"
#include "base/units.hpp"

namespace tessera {

/// Reading the whole medium while the host is idle. Times as in the background control mode page of SCSI drives (1Ch, subpage 01h).
struct MediaScanConfig {
  /// Longer than two polls of whoever waits for an idle drive, which sees it between two reads of a scan.
  static constexpr Picoseconds least_idle{10'000'000'000};

  Picoseconds interval;  ///< from the begin of one pass to that of the next; 0: no scan
  Picoseconds minimum_idle{500'000'000'000};
  std::uint32_t sectors = 0;  ///< per read; 0: a track

  [[nodiscard]] bool used() const { return interval != Picoseconds(0); }

  void describe(ParameterVisitor& visitor);
  /// A sentence why a drive of this geometry cannot be scanned, or nothing.
  [[nodiscard]] std::string problem(const DriveGeometry& geometry) const;
};

}  // namespace tessera
