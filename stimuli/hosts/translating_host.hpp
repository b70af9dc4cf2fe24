#pragma once
// A host that shows an application one space of sectors written in any order, and keeps to the rules of a zoned drive below.
//
//   application --(HostFront)-- TranslatingHost --(HostLink)-- drive with zones
#include <cstdint>
#include <functional>

#include "base/content.hpp"
#include "base/metrics.hpp"
#include "stimuli/player/host_front.hpp"

namespace tessera {

/// The drive as the host finds it.
struct DriveZones {
  std::uint32_t zones = 0;         ///< in all
  std::uint32_t conventional = 0;  ///< of these, the first ones
  std::uint64_t zone_sectors = 0;
  std::uint32_t sector_blocks = 8;  ///< host blocks of 512 B in a sector
  std::uint32_t tags = 32;
  ContentMode content = ContentMode::none;
  bool in_order = true;         ///< what lies below a write pointer was written since the zone's reset
  bool volatile_cache = false;  ///< what it has completed may be lost with the power until it has flushed
  bool faults = false;          ///< its description says that it may fail to read or to write
};

class TranslatingHost : public HostFront {
 public:
  /// Sectors that the application sees.
  [[nodiscard]] virtual std::uint64_t user_sectors() const = 0;

  /// The host as it is after mkfs and use, in no time: the first `sectors` of the user space hold data. Gives the drive's sectors, from 0
  /// on, that are written then.
  [[nodiscard]] virtual std::uint64_t prefill(std::uint64_t sectors) = 0;
  /// The drive answers again after power_lost(): finds everything on it, and calls `recovered`.
  virtual void recover(std::function<void(Status)> recovered) = 0;
  /// The drive completed a command of the host at the timeline's now().
  virtual void completed(HostRequest& command) = 0;

  /// No more requests come but a FLUSH: what has begun ends, and nothing begins for idle time.
  virtual void application_ended() = 0;
  /// Whether nothing is under way and all written data is on the drive.
  [[nodiscard]] virtual bool idle() const = 0;
  /// Adds translation.*: counts accumulate.
  virtual void report(MetricSet& metrics) const = 0;
};

}  // namespace tessera
