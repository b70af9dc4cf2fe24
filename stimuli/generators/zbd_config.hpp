#pragma once
// How a workload goes to the zones of a drive: fio's zonemode and what belongs to it, by fio's names.
#include <cstdint>

#include "base/parameter.hpp"
#include "base/units.hpp"

namespace tessera {

enum class ZoneMode : std::uint32_t {
  none,  ///< requests go where the law says
  zbd    ///< writes go to write pointers, reads to what is written
};

struct ZbdConfig {
  Bytes zonesize{0};
  std::uint32_t max_open_zones = 0;
  bool read_beyond_wp = false;
  double zone_reset_threshold = 0;
  double zone_reset_frequency = 0;
  void describe(ParameterVisitor& visitor);
  bool operator==(const ZbdConfig&) const = default;
};

}  // namespace tessera
