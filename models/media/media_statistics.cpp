#include "media/media_statistics.hpp"

#include <algorithm>
#include <map>

#include "media/track_error_rates.hpp"

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
  /// Of the whole assembly.
  [[nodiscard]] static double whole(Microwatts power, LongTime time) { return joules(static_cast<double>(power.value()), time); }
  [[nodiscard]] double at_work(Microwatts power, Picoseconds time) const {
    return joules(static_cast<double>(power.value()) - one_ + all_ / arms_, time);
  }

 private:
  [[nodiscard]] static double joules(double microwatts, LongTime time) { return microwatts / uw_in_w * (time.in_picoseconds() / ps_in_s); }
  double arms_;
  double one_;
  double all_;
};

/// Idle at full power.
LongTime full_idle_time(const MediaStatistics& s, Picoseconds now, bool powered, const PowerConditions::Totals& saved) {
  const LongTime idle = idle_time(s, now, powered);
  return idle - std::min(idle, saved.saving() * std::max<std::uint64_t>(1, s.arms.size()));
}

/// What the disk takes while it recovers: the spindle motor starts; from elsewhere it keeps to what it takes at work (Ultrastar 7K2).
Microwatts recovery_power(const MediaConfig& config, PowerCondition from) {
  return from == PowerCondition::standby ? config.power_conditions.spin_up_power : config.seek_power;
}

double saving_energy(const MediaConfig& config, const PowerConditions::Totals& saved) {
  double all = 0;
  for (std::size_t i = 0; i < power_conditions; ++i) {
    all += ArmPower::whole(config.power_conditions.conditions[i].power, saved.time[i]);
    all += ArmPower::whole(recovery_power(config, static_cast<PowerCondition>(i)), saved.recovery[i]);
  }
  return all;
}

void report_power_conditions(MetricSet& metrics, const MediaConfig& config, const PowerConditions::Totals& saved) {
  if (!config.power_conditions.any()) return;
  LongTime recovery;
  double recovery_energy = 0;
  for (std::size_t i = 0; i < power_conditions; ++i) {
    const auto condition = static_cast<PowerCondition>(i);
    const std::string name = name_of(condition);
    recovery += saved.recovery[i];
    recovery_energy += ArmPower::whole(recovery_power(config, condition), saved.recovery[i]);
    if (config.power_conditions.conditions[i].after == Picoseconds()) continue;
    metrics.count("media.time." + name, saved.time[i].in_picoseconds() * 1e-9, "ms", "Time in the power condition " + name + ".");
    metrics.count("media.energy." + name, ArmPower::whole(config.power_conditions.conditions[i].power, saved.time[i]), "J",
                  "Energy in the power condition " + name + ".");
  }
  metrics.count("media.time.recovery", recovery.in_picoseconds() * 1e-9, "ms",
                "Time from a step's begin in a power condition, or from power-on, until the arms could seek.");
  metrics.count("media.energy.recovery", recovery_energy, "J", "Energy of loading heads and starting the spindle.");
  metrics.count("media.load_cycles", static_cast<double>(saved.load_cycles), "1", "Times that the heads came from the ramp.");
  metrics.count("media.spin_ups", static_cast<double>(saved.spin_ups), "1", "Times that the spindle started.");
}

}  // namespace

double MediaStatistics::energy(const MediaConfig& config, Picoseconds now, bool powered, const PowerConditions::Totals& saved) const {
  const ArmPower power(config, arms.size());
  return power.idle(full_idle_time(*this, now, powered, saved) + rotation_time) + power.at_work(config.seek_power, seek_time) +
         power.at_work(config.read_power, read_time) + power.at_work(config.write_power, write_time) + saving_energy(config, saved) +
         ArmPower::whole(config.heat.laser_power, laser_time);
}

void MediaStatistics::report(MetricSet& metrics, const MediaConfig& config, const FormatPlan& plan, Picoseconds now, bool powered,
                             const PowerConditions::Totals& saved) const {
  const auto count = [&](std::string name, std::uint64_t value, std::string description) {
    metrics.count("media." + std::move(name), static_cast<double>(value), "1", std::move(description));
  };
  count("commands", commands, "Media steps begun.");
  RegionCount all;
  bool interlaced = false;
  bool bands = false;
  std::map<std::string, RegionCount> by_name;  // a layer may divide its data over several regions of one name
  for (std::size_t r = 0; r < regions.size(); ++r) {
    for (RegionCount* sum : {&all, &by_name[plan[r].name]}) {
      sum->sectors_read += regions[r].sectors_read;
      sum->sectors_written += regions[r].sectors_written;
    }
    interlaced = interlaced || plan[r].format == RecordingFormat::interlaced;
    bands = bands || plan[r].format == RecordingFormat::shingled || plan[r].format == RecordingFormat::wave;
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
  count("damaged_reads", damaged_reads,
        "Reads that met a sector destroyed by an overlapping write; of host data where it is kept (--check).");
  count("errors", media_errors, "Steps that met a sector that could not be read or written.");
  count("faults.transient", transient_faults, "Sectors that a read did not bring and another one may.");
  for (std::size_t head = 0; errors_by_track(config) && head < heads.size(); ++head)
    count("head." + std::to_string(head) + ".unread_sectors", heads[head].unread_sectors, "Sectors that a read by the head did not bring.");
  count("faults.permanent", permanent_faults, "Sectors that a read did not bring and none will.");
  count("faults.latent_writes", latent_writes, "Sectors written to an unreadable place without anybody noticing.");
  count("faults.write", write_faults, "Writes that stopped at a sector that could not be written.");
  count("faults.servo", servo_faults, "Commands that lost their track and found it again.");
  if (!config.fail_slow.empty()) {
    count("faults.slow", slow_steps, "Commands that lost turns where the drive was slow.");
    metrics.count("media.time.slow", slow_time, "What these lost: part of rotation.");
  }
  if (config.interference_limit != 0)
    count("interference.spoilt", spoilt_sectors, "Sectors that became unreadable because tracks next to them were written too often.");
  count("rule_violations", rule_violations, "Steps that left their track or the formatted tracks.");
  metrics.count("media.time.seek", seek_time, "Time spent on head movement, head switch and settle.");
  metrics.count("media.time.rotation", rotation_time, "Time spent waiting for the first sector.");
  metrics.count("media.time.read", read_time, "Time spent reading, channel overhead included.");
  metrics.count("media.time.write", write_time, "Time spent writing, channel overhead included.");
  metrics.count("media.time.idle", full_idle_time(*this, now, powered, saved).in_picoseconds() * 1e-9, "ms",
                "Time with power and nothing to do.");
  const ArmPower power(config, arms.size());
  metrics.count("media.energy.idle", power.idle(full_idle_time(*this, now, powered, saved) + rotation_time), "J",
                "Energy of the idle and rotating assembly.");
  metrics.count("media.energy.seek", power.at_work(config.seek_power, seek_time), "J", "Energy during head movement.");
  metrics.count("media.energy.read", power.at_work(config.read_power, read_time), "J", "Energy while reading.");
  metrics.count("media.energy.write", power.at_work(config.write_power, write_time), "J", "Energy while writing.");
  metrics.count("media.energy.total", energy(config, now, powered, saved), "J", "Energy of the head-disk assembly.");
  report_power_conditions(metrics, config, saved);
  if (config.heat.laser_power != Microwatts()) {
    metrics.count("media.time.laser", laser_time, "Time with a laser on: part of rotation and writing.");
    metrics.count("media.energy.laser", ArmPower::whole(config.heat.laser_power, laser_time), "J", "Energy of the lasers.");
  }
  for (std::size_t arm = 0; arms.size() > 1 && arm < arms.size(); ++arm) {
    const std::string name = "arm." + std::to_string(arm);
    count(name + ".commands", arms[arm].commands, "Media steps begun by the arm.");
    metrics.count("media." + name + ".busy", arms[arm].busy, "Time that the arm was at work.");
  }
  if (bands && config.shingled_gain != 0)
    metrics.add("media.shingled_gain", config.shingled_gain, "1", "As sold, not a result: shingled over conventional.");
  if (interlaced)
    metrics.add("media.density_gain", config.density_gain, "1", "Declared assumption, not a result: interlaced over conventional.");
}

}  // namespace tessera
