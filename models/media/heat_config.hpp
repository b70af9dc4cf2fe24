#pragma once
// The description of heat-assisted writing: what `[media.heat]` may say.
#include <cstdint>

#include "base/parameter.hpp"
#include "base/units.hpp"

namespace tessera {

struct HeatConfig {
  Picoseconds laser_warm_up;
  Microwatts laser_power;
  Bytes head_life{0};  ///< written by one head; 0: for ever
  std::uint32_t worn_faults_per_million = 1000;

  void describe(ParameterVisitor& visitor);
};

}  // namespace tessera
