#pragma once
// The description of a disk that saves power while it has nothing to do: what `[media.power_conditions]` may say.
#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "base/parameter.hpp"
#include "base/units.hpp"

namespace tessera {

/// The extended power conditions of ATA and SCSI, from the shallowest on.
enum class PowerCondition : std::uint8_t {
  idle_a,  ///< less electronics at work
  idle_b,  ///< heads on the ramp, the spindle at full speed
  idle_c,  ///< heads on the ramp, the spindle slower
  standby  ///< heads on the ramp, the spindle stopped
};
constexpr std::size_t power_conditions = 4;

struct PowerConditionsConfig {
  struct Condition {
    Picoseconds after;     ///< of idle time; 0: never
    Microwatts power;      ///< of the whole assembly
    Picoseconds recovery;  ///< until it can seek
  };
  /// Recovery: HGST's Ultrastar 7K2 (idle_a 10 ms, idle_b 650 ms, idle_c 3 to 15 s) and Seagate's Constellation ES.2 (standby 15 s).
  std::array<Condition, power_conditions> conditions{Condition{{}, Microwatts(4'500'000), Picoseconds(10'000'000'000)},
                                                     Condition{{}, Microwatts(4'000'000), Picoseconds(650'000'000'000)},
                                                     Condition{{}, Microwatts(3'000'000), Picoseconds(4'000'000'000'000)},
                                                     Condition{{}, Microwatts(800'000), Picoseconds(15'000'000'000'000)}};
  Microwatts spin_up_power{20'000'000};
  bool spin_up_at_power_on = false;

  [[nodiscard]] const Condition& of(PowerCondition condition) const { return conditions[static_cast<std::size_t>(condition)]; }
  [[nodiscard]] Condition& of(PowerCondition condition) { return conditions[static_cast<std::size_t>(condition)]; }
  /// Whether the disk ever waits for its spindle or its heads.
  [[nodiscard]] bool any() const;

  void describe(ParameterVisitor& visitor);
  /// Adds what is wrong with the values taken together; `idle`: what the assembly takes idle at full power.
  void check(Microwatts idle, std::vector<std::string>& problems) const;
};

/// As parameters, metrics and signals name it.
[[nodiscard]] const char* name_of(PowerCondition condition);

}  // namespace tessera
