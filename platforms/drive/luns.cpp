#include "platforms/drive/luns.hpp"

#include <string>

#include "base/error.hpp"
#include "platforms/drive/drive_config.hpp"

namespace tessera {

void LunsConfig::describe(ParameterVisitor& visitor) {
  visitor.field("luns", luns, {1, 16},
                "logical units: 1, or one per arm (media.actuators), each with that arm's share of the addresses and of host.tags");
  const UnusedWhere one(visitor, !several(), "host.luns is 1");
  visitor.enumeration(
      "lun_of", by, {"address", "volume"},
      "how the input names them: by addresses on the whole drive; or volume n of a trace, in order of appearance, is LUN n");
}

void check_luns(const DriveConfig& config) {
  const std::uint32_t luns = config.logical_units.luns;
  if (luns == 1) return;
  const std::string chosen = "host.luns is " + std::to_string(luns);
  const std::uint32_t arms = config.media.actuators;
  if (luns != arms)
    throw InputError(chosen + ", and the drive has " + std::to_string(arms) + (arms == 1 ? " arm" : " arms") +
                     " (media.actuators); expected 1" + (arms == 1 ? "" : " or " + std::to_string(arms)));
  if (!config.selected().bounds().by_arm)
    throw InputError(chosen + ", and the layer " + config.selected().name() +
                     " lays addresses on all arms in turn; expected a layer that gives each arm its share, as cmr does");
  if (config.host.tags % luns != 0)
    throw InputError(chosen + ", and host.tags is " + std::to_string(config.host.tags) + "; expected a multiple of the LUNs");
}

void refuse_lun_volumes(const LunsConfig& config, const std::string& input) {
  if (config.several() && config.by == LunOf::volume)
    throw InputError("host.lun_of is volume, and " + input + " names no volumes; expected address");
}

}  // namespace tessera
