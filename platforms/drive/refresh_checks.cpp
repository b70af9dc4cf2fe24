#include "platforms/drive/refresh_checks.hpp"

#include <algorithm>

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

std::string write_width_warning(const DriveConfig& config, const FormatPlan& plan) {
  const HeatConfig& heat = config.media.heat;
  const std::uint32_t lost = heat.tracks_destroyed();
  const auto conventional = std::ranges::find(plan, RecordingFormat::conventional, &Region::format);
  if (lost == 0 || conventional == plan.end()) return {};
  return "media.heat.write_width is " + std::to_string(heat.write_width) + " % of the track pitch: each write to the region '" +
         conventional->name + "' destroys " + std::to_string(lost) + (lost == 1 ? " track" : " tracks") +
         " on either side; expected at most " + std::to_string(300 - 2 * heat.read_width);
}

}  // namespace tessera
