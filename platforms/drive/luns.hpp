#pragma once
// The logical units (LUNs) of a drive with several arms, as dual-arm drives are sold with SAS: each arm's share of the addresses is a unit
// of its own, with its own queue at the host.
#include <cstdint>
#include <string>
#include <vector>

#include "base/parameter.hpp"
#include "base/units.hpp"
#include "stimuli/readers/unit_addresses.hpp"

namespace tessera {

struct DriveConfig;
class DriveModule;

struct LunsConfig {
  std::uint32_t luns = 1;
  LunOf by = LunOf::address;

  [[nodiscard]] bool several() const { return luns > 1; }
  /// Among the parameters of the host interface.
  void describe(ParameterVisitor& visitor);
};

/// InputError where the drive has another number of arms, or no arm has a share of the addresses.
void check_luns(const DriveConfig& config);

/// InputError where volumes name the units and `input`, the begin of a sentence, has none.
void refuse_lun_volumes(const LunsConfig& config, const std::string& input);

/// Where each unit of a drive that is on ends, in bytes; of a drive of one unit, its capacity.
[[nodiscard]] std::vector<Bytes> lun_ends(DriveModule& drive);

}  // namespace tessera
