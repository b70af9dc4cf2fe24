#pragma once
// A whole firmware as the drive sees it, whatever processor runs it.
#include <cstdint>
#include <vector>

#include "base/metrics.hpp"
#include "base/zone.hpp"
#include "firmware/band_levels.hpp"
#include "firmware/firmware_entry.hpp"
#include "firmware/read_doubt.hpp"

namespace tessera {

class DriveFirmware : public FirmwareEntry {
 public:
  /// Capacity in drive sectors.
  [[nodiscard]] virtual std::uint64_t user_sectors() const = 0;
  /// The first zones that are conventional, of a layer with zones; 0 where the firmware is behind registers.
  [[nodiscard]] virtual std::uint32_t conventional_zones() const { return 0; }
  /// Before boot: see TranslationLayer::prefill().
  virtual void prefill(std::uint64_t sectors) = 0;
  virtual void report(MetricSet& metrics) const = 0;
  /// See TranslationLayer::band_levels(); empty where the firmware is an image, or somebody else's.
  [[nodiscard]] virtual BandLevels band_levels() const { return {}; }
  /// See TranslationLayer::in_doubt() and WriteCache::in_doubt(); empty where band_levels() is.
  [[nodiscard]] virtual std::vector<ReadDoubt> reads_in_doubt() const { return {}; }
  /// As REPORT ZONES would say, in no time; empty where band_levels() is.
  [[nodiscard]] virtual std::vector<ZoneDescriptor> zones() const { return {}; }
};

}  // namespace tessera
