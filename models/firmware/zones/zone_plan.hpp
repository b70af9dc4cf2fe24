#pragma once
// Where buffer, zones and log lie: the conventional buffer at the outer diameter (the CMR zones #0 to #719 of the drive in the
// Amphisbaena paper, table 2), then shingled zones with the log amid them.
#include <string>

#include "base/format.hpp"
#include "base/geometry.hpp"
#include "firmware/zones/zone_config.hpp"

namespace tessera {

/// Regions "buffer", "bands", "log" and, for a paged sector map, "map"; empty, with a sentence in `problem`, where the zones or the
/// buffer do not fit. `slot_notes`: bytes that the layer keeps in the log's checkpoints for each slot of the buffer.
[[nodiscard]] FormatPlan plan_zones(const ZoneConfig& config, const DriveGeometry& geometry, std::string& problem,
                                    std::uint64_t slot_notes = 0);

/// Sectors that the buffer of such a plan uses: what `buffer` asks for, or 1 % of the user capacity.
[[nodiscard]] std::uint64_t buffer_sectors(const ZoneConfig& config, const DriveGeometry& geometry, const FormatPlan& plan);

}  // namespace tessera
