#pragma once
// What a layer or policy of a library reports, into the figures of a run.
#include <functional>
#include <string>

#include "base/metrics.hpp"
#include "platforms/plugin/tessera_firmware.h"

namespace tessera {

/// Calls `report` with a reporter for `metrics`. Gives what was wrong with a figure; "": nothing.
[[nodiscard]] std::string reported(const std::function<void(const tessera_reporter*)>& report, MetricSet& metrics);

}  // namespace tessera
