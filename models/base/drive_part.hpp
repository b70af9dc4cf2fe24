#pragma once
// What a drive asks of a part beside its socket, whoever wrote the part: that it loses its power with the drive, and that it reports.
#include "base/metrics.hpp"
#include "base/units.hpp"

namespace tessera {

class PoweredPart {
 public:
  /// The power fails at the drive's local time: what is under way is never answered.
  virtual void power_off() = 0;
  virtual void power_on() = 0;

 protected:
  ~PoweredPart() = default;
};

class ReportingPart {
 public:
  /// Adds the part's metrics as of `now`.
  virtual void report(MetricSet& metrics, Picoseconds now) const = 0;

 protected:
  ~ReportingPart() = default;
};

}  // namespace tessera
