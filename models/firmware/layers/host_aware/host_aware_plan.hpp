#pragma once
// Where things lie: conventional zones on the outermost tracks, the log of the write pointers, then what a media cache plans.
#include <string>

#include "base/format.hpp"
#include "base/geometry.hpp"
#include "firmware/layers/host_aware/host_aware_config.hpp"

namespace tessera::host_aware {

/// Regions "conventional", "pointers", and those of plan_media_cache(); empty, with a sentence in `problem`, where the zones do not fit.
[[nodiscard]] FormatPlan plan_host_aware(const HostAwareConfig& config, const DriveGeometry& geometry, std::string& problem);

}  // namespace tessera::host_aware
