#include "media/media_statistics.hpp"

#include <algorithm>
#include <map>

namespace tessera {

namespace {

constexpr double ps_in_s = 1e12;
constexpr double uw_in_w = 1e6;

LongTime on_time(const MediaStatistics& s, Picoseconds now, bool powered) {
  return s.rested + (now - std::min(now, s.off_time + (powered ? Picoseconds() : now - s.off_since)));
}

/// Of all arms.
LongTime idle_time(const MediaStatistics& s, Picoseconds now, bool powered) {
  const LongTime on = on_time(s, now, powered) * std::max<std::uint64_t>(1, s.arms.size());
  return on - std::min(on, LongTime(s.seek_time + s.rotation_time + s.read_time + s.write_time));
}

/// The description's powers are those of an assembly with one arm at work. Of several each counts with an equal share of what the assembly
/// takes idle, and with all that its own work adds to that.
class ArmPower {
 public:
  ArmPower(const MediaConfig& config, std::size_t arms)
      : arms_(static_cast<double>(std::max<std::size_t>(1, arms))),
        one_(static_cast<double>(config.idle_power.value())),
        all_(one_ + (arms_ - 1) * static_cast<double>(config.actuator_power.value())) {}
  [[nodiscard]] double idle(LongTime time) const { return joules(all_ / arms_, time); }
  [[nodiscard]] double at_work(Microwatts power, Picoseconds time) const {
    return joules(static_cast<double>(power.value()) - one_ + all_ / arms_, time);
  }

 private:
  [[nodiscard]] static double joules(double microwatts, LongTime time) { return microwatts / uw_in_w * (time.in_picoseconds() / ps_in_s); }
  double arms_;
  double one_;
  double all_;
};

}  // namespace

double MediaStatistics::energy(const MediaConfig& config, Picoseconds now, bool powered) const {
  const ArmPower power(config, arms.size());
  return power.idle(idle_time(*this, now, powered) + rotation_time) + power.at_work(config.seek_power, seek_time) +
         power.at_work(config.read_power, read_time) + power.at_work(config.write_power, write_time);
}

void MediaStatistics::report(MetricSet& metrics, const MediaConfig& config, const FormatPlan& plan, Picoseconds now, bool powered) const {
  const auto count = [&](std::string name, std::uint64_t value, std::string description) {
    metrics.count("media." + std::move(name), static_cast<double>(value), "1", std::move(description));
  };
  count("commands", commands, "Media steps begun.");
  RegionCount all;
  bool interlaced = false;
  std::map<std::string, RegionCount> by_name;  // a layer may divide its data over several regions of one name
  for (std::size_t r = 0; r < regions.size(); ++r) {
    for (RegionCount* sum : {&all, &by_name[plan[r].name]}) {
      sum->sectors_read += regions[r].sectors_read;
      sum->sectors_written += regions[r].sectors_written;
    }
    interlaced = interlaced || plan[r].format == RecordingFormat::interlaced;
  }
  for (const auto& [name, region] : by_name) {
    count("sectors_read." + name, region.sectors_read, "Sectors read from the region '" + name + "'.");
    count("sectors_written." + name, region.sectors_written, "Sectors written to the region '" + name + "'.");
  }
  count("sectors_read.total", all.sectors_read, "Sectors read from the platters.");
  count("sectors_written.total", all.sectors_written, "Sectors written to the platters.");
  count("seeks", seeks.count, "Arm movements.");
  metrics.add("media.seek_distance", seeks.mean(), "tracks", "Mean distance of an arm movement.");
  count("head_switches", head_switches, "Changes of surface without an arm movement.");
  count("missed_turns", missed_turns, "Turns that writes waited because data had not crossed the host link when the head was there.");
  count("given_up", given_up, "Reads that were given up before they had passed the head, as read-ahead is for a command that waits.");
  count("damaged_reads", damaged_reads, "Reads that met a sector destroyed by an overlapping write.");
  count("errors", media_errors, "Steps that met a sector that could not be read or written.");
  count("faults.transient", transient_faults, "Sectors that a read did not bring and another one may.");
  count("faults.permanent", permanent_faults, "Sectors that a read did not bring and none will.");
  count("faults.latent_writes", latent_writes, "Sectors written to an unreadable place without anybody noticing.");
  count("faults.write", write_faults, "Writes that stopped at a sector that could not be written.");
  count("faults.servo", servo_faults, "Commands that lost their track and found it again.");
  if (config.interference_limit != 0)
    count("interference.spoilt", spoilt_sectors, "Sectors that became unreadable because tracks next to them were written too often.");
  count("rule_violations", rule_violations, "Steps that left their track or the formatted tracks.");
  metrics.count("media.time.seek", seek_time, "Time spent on head movement, head switch and settle.");
  metrics.count("media.time.rotation", rotation_time, "Time spent waiting for the first sector.");
  metrics.count("media.time.read", read_time, "Time spent reading, channel overhead included.");
  metrics.count("media.time.write", write_time, "Time spent writing, channel overhead included.");
  metrics.count("media.time.idle", idle_time(*this, now, powered).in_picoseconds() * 1e-9, "ms", "Time with power and nothing to do.");
  const ArmPower power(config, arms.size());
  metrics.count("media.energy.idle", power.idle(idle_time(*this, now, powered) + rotation_time), "J",
                "Energy of the idle and rotating assembly.");
  metrics.count("media.energy.seek", power.at_work(config.seek_power, seek_time), "J", "Energy during head movement.");
  metrics.count("media.energy.read", power.at_work(config.read_power, read_time), "J", "Energy while reading.");
  metrics.count("media.energy.write", power.at_work(config.write_power, write_time), "J", "Energy while writing.");
  metrics.count("media.energy.total", energy(config, now, powered), "J", "Energy of the head-disk assembly.");
  for (std::size_t arm = 0; arms.size() > 1 && arm < arms.size(); ++arm) {
    const std::string name = "arm." + std::to_string(arm);
    count(name + ".commands", arms[arm].commands, "Media steps begun by the arm.");
    metrics.count("media." + name + ".busy", arms[arm].busy, "Time that the arm was at work.");
  }
  if (interlaced)
    metrics.add("media.density_gain", config.density_gain, "1", "Declared assumption, not a result: interlaced over conventional.");
}

}  // namespace tessera
