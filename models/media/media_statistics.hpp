#pragma once
// What the media counts: sectors by region, seeks, time and energy by state.
#include <cstdint>
#include <vector>

#include "base/format.hpp"
#include "base/long_time.hpp"
#include "base/metrics.hpp"
#include "base/units.hpp"
#include "media/media_config.hpp"
#include "media/power_conditions.hpp"

namespace tessera {

struct MediaStatistics {
  struct RegionCount {
    std::uint64_t sectors_read = 0;
    std::uint64_t sectors_written = 0;
  };
  struct ArmCount {
    std::uint64_t commands = 0;
    Picoseconds busy;  ///< of its steps
  };
  struct HeadCount {
    std::uint64_t unread_sectors = 0;  ///< that a read did not bring, the first time or again
  };
  std::vector<RegionCount> regions;  ///< in the plan's order
  std::vector<ArmCount> arms;
  std::vector<HeadCount> heads;  ///< by surface
  std::uint64_t commands = 0;
  Tally seeks;                      ///< by distance in radii, arm movements only
  std::uint64_t head_switches = 0;  ///< without arm movement
  std::uint64_t missed_turns = 0;   ///< of writes whose data was not there when the head was
  std::uint64_t given_up = 0;       ///< reads
  std::uint64_t damaged_reads = 0;  ///< steps that met a destroyed sector
  std::uint64_t media_errors = 0;
  std::uint64_t rule_violations = 0;
  std::uint64_t transient_faults = 0;  ///< sectors
  std::uint64_t permanent_faults = 0;  ///< sectors
  std::uint64_t latent_writes = 0;     ///< sectors
  std::uint64_t write_faults = 0;
  std::uint64_t spoilt_sectors = 0;  ///< by writes next to them
  std::uint64_t servo_faults = 0;
  std::uint64_t slow_steps = 0;  ///< that lost turns to media.fail_slow
  Picoseconds seek_time;
  Picoseconds rotation_time;
  Picoseconds read_time;  ///< transfers, overhead included
  Picoseconds write_time;
  Picoseconds slow_time;   ///< of rotation_time
  Picoseconds laser_time;  ///< writes, with warm-up
  Picoseconds off_time;    ///< without power, up to off_since
  Picoseconds off_since;   ///< of the present outage
  LongTime rested;         ///< with power, and left out of all instants

  /// Energy in joules up to `now` (floating point: months of drive power leave 64 bits of picojoules).
  [[nodiscard]] double energy(const MediaConfig& config, Picoseconds now, bool powered, const PowerConditions::Totals& saved = {}) const;
  void report(MetricSet& metrics, const MediaConfig& config, const FormatPlan& plan, Picoseconds now, bool powered,
              const PowerConditions::Totals& saved) const;
};

}  // namespace tessera
