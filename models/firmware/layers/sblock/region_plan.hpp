#pragma once
// How many slots a region has, and where regions and log lie.
//
//   |<------ S_reg tracks ------>|<- kappa ->|<- kappa ->|
//   | slots in a circle, the internal guard  | guard     | next region ...
//   | among them                             |           |
#include <string>

#include "base/format.hpp"
#include "base/geometry.hpp"
#include "firmware/layers/sblock/region_config.hpp"
#include "firmware/layers/sblock/region_logs.hpp"

namespace tessera::sblock {

/// Slots of a region. Its tracks are counted in the longest of the drive: on shorter ones it takes more of them.
[[nodiscard]] LogShape shape_of(const RegionConfig& config, const DriveGeometry& geometry, std::uint32_t sblock_sectors);

/// Regions "bands" and "log"; empty, with a sentence in `problem`, where they do not fit.
[[nodiscard]] FormatPlan plan_sblocks(const RegionConfig& config, const DriveGeometry& geometry, std::uint32_t sblock_sectors,
                                      std::string& problem);

/// beta: share of a region's S-blocks that is kept free.
[[nodiscard]] double spare_share(const RegionConfig& config, const DriveGeometry& geometry, std::uint32_t sblock_sectors);

/// Share of the tracks that hold data, by the paper's formula (section III-B): S_reg / (S_reg + 2 kappa) * (1 - beta).
[[nodiscard]] double utilisation(const RegionConfig& config, double beta);

}  // namespace tessera::sblock
