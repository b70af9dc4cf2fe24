#include "platforms/drive/refresh_checks.hpp"

#include "base/error.hpp"

namespace tessera {

void check_refresh(const DriveConfig& config) {
  if (!config.firmware.refresh.used() || config.foreign_firmware().empty()) return;
  throw InputError("firmware.refresh.threshold is " + std::to_string(config.firmware.refresh.threshold) + ", and " + config.layer +
                   " may keep bytes of its own on the tracks, which a refresh would lose: set it to 0, or choose the layer cmr");
}

std::string refresh_warning(const DriveConfig& config) {
  const std::uint32_t limit = config.media.interference_limit;
  const RefreshConfig& refresh = config.firmware.refresh;
  if (limit == 0 || !refresh.used()) return {};
  if (config.media.interference_reach > 1)
    return "firmware.refresh.threshold: the firmware counts writes of the tracks right next to a track, and media.interference_reach is " +
           std::to_string(config.media.interference_reach) + ": sectors further away are lost; expected 1";
  if (refresh.most_writes() < limit) return {};
  return "firmware.refresh.threshold: a track is refreshed after up to " + std::to_string(refresh.most_writes()) +
         " writes next to it, and media.interference_limit is " + std::to_string(limit) + ": sectors are lost before; expected at most " +
         std::to_string((limit - 1) * refresh.threshold / refresh.most_writes());
}

}  // namespace tessera
