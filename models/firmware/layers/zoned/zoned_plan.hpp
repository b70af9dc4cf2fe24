#pragma once
// Where zones lie: the conventional ones on the outermost tracks, then the bands of the sequential ones with the log amid them.
#include <cstdint>
#include <string>

#include "base/format.hpp"
#include "base/geometry.hpp"
#include "firmware/layers/zoned/zone_ledger.hpp"
#include "firmware/layers/zoned/zone_states.hpp"
#include "firmware/layers/zoned/zoned_config.hpp"

namespace tessera::zoned {

/// Regions "conventional", "bands" and "log"; empty, with a sentence in `problem`, where the zones do not fit.
[[nodiscard]] FormatPlan plan_zoned(const ZonedConfig& config, const DriveGeometry& geometry, std::string& problem);

/// Conventional zones of such a plan, and sequential ones where so many bands can be used.
[[nodiscard]] std::uint32_t conventional_zones(const ZonedConfig& config, const DriveGeometry& geometry, const FormatPlan& plan);
[[nodiscard]] std::uint32_t sequential_zones(const ZonedConfig& config, std::uint32_t conventional, std::uint64_t bands);

/// The state of a zone of which this is kept, as a boot begins with it.
[[nodiscard]] ZoneState state_of(const KeptZone& kept, std::uint32_t zone_sectors);

}  // namespace tessera::zoned
