#pragma once
// Reading and making a layer's plan: user tracks with a few reserved ones among them.
#include <string_view>

#include "base/format.hpp"
#include "base/geometry.hpp"

namespace tessera {

/// Regions of `plan` with this name, or parts of such a one ("data_outer" of "data"), in ascending order.
[[nodiscard]] FormatPlan regions_named(const FormatPlan& plan, std::string_view name);

/// Sectors of the tracks of `regions`, each inside one zone, without defects.
[[nodiscard]] std::uint64_t sectors_in(const FormatPlan& regions, const DriveGeometry& geometry);

/// Radii around `radius` that hold `sectors`, and one for what slipped defects take.
[[nodiscard]] std::uint64_t radii_holding(const DriveGeometry& geometry, std::uint32_t radius, std::uint64_t sectors);

/// Sectors of the longest track without defects: what a buffer for any track must hold.
[[nodiscard]] std::uint32_t longest_track(const DriveGeometry& geometry);

/// Radii that hold `sectors` wherever on the drive they lie.
[[nodiscard]] std::uint32_t radii_for(const DriveGeometry& geometry, std::uint64_t sectors);

/// The drive without its outermost `radii`.
[[nodiscard]] DriveGeometry without_outermost(DriveGeometry geometry, std::uint32_t radii);

/// Outermost radii that hold `sectors`; one more than there are where they do not.
[[nodiscard]] std::uint32_t outermost_radii_for(const DriveGeometry& geometry, std::uint64_t sectors);

/// Where the reserved radii lie. The middle halves the mean seek to them and cuts the user tracks in two.
enum class ReservedPlace : std::uint32_t { inner, middle, outer };

/// A plan over `radii` radii: `reserved` regions (their `count` given) side by side at `place`, and regions like `data` on all
/// other radii; where that makes two of them, "_outer" and "_inner" tell their names apart. Empty where nothing would be left
/// for data.
[[nodiscard]] FormatPlan plan_around(std::uint64_t radii, const Region& data, const FormatPlan& reserved, ReservedPlace place);

}  // namespace tessera
