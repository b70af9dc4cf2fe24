#pragma once
// What a campaign draws besides since its second draw: faults where firmware keeps its own records, and that come and go between boots;
// cuts in quick succession; caches with all their options; a host that asks for durability all the time. Since its third: a read cache as
// real drives have it, and two arms. Since its fourth: what the medium and the mechanics of drives of today add. Since its fifth: refresh
// of tracks, interference between them, scans of the medium, frames of a link without errors, and faults of media and flash below hosts
// that translate (combined_draw.cpp). Since its sixth: the write cache of host-managed zones, who waits for whom at the platters, and
// interference below hosts that translate. Since its seventh: parts of a drive that are slow for a while. Since its eighth: any
// parameter that the drive declares (drawn_parameters.hpp). And what a plain campaign draws: caches with all their options, and few
// requests that meet again and again.
#include "base/format.hpp"
#include "base/random.hpp"
#include "platforms/description/listing.hpp"
#include "platforms/torture/combined_run.hpp"

namespace tessera {

/// The kinds of all draws but those of zones alone and of plain runs.
[[nodiscard]] std::vector<std::string> extra_kinds();

/// Adds to the settings, and to the names of the faults, of a run. `plan`: what its layer plans with the settings so far.
void draw_second(CombinedRun& run, const DriveConfig& drive, const FormatPlan& plan, RandomStream random);
/// After it.
void draw_third(CombinedRun& run, const DriveConfig& drive, const FormatPlan& plan, RandomStream random);
/// After that.
void draw_fourth(CombinedRun& run, const DriveConfig& drive, const FormatPlan& plan, RandomStream random);
/// After that.
void draw_fifth(CombinedRun& run, const DriveConfig& drive, const FormatPlan& plan, RandomStream random);
/// After that.
void draw_sixth(CombinedRun& run, const DriveConfig& drive, const FormatPlan& plan, RandomStream random);
/// After that.
void draw_seventh(CombinedRun& run, const DriveConfig& drive, const FormatPlan& plan, RandomStream random);
/// After that, and of a run without cuts and faults.
void draw_eighth(CombinedRun& run, const std::vector<Parameter>& parameters, RandomStream& random);
/// Of a run without cuts and faults: requests and where they go, too.
void draw_plain(CombinedRun& run, const DriveConfig& drive, const FormatPlan& plan, RandomStream& random);

}  // namespace tessera
