#pragma once
// What a campaign draws besides since its second draw: faults where firmware keeps its own records, and that come and go between boots;
// cuts in quick succession; caches with all their options; a host that asks for durability all the time. Since its third: a read cache as
// real drives have it, and two arms. Since its fourth: what the medium and the mechanics of drives of today add.
#include "base/format.hpp"
#include "base/random.hpp"
#include "platforms/torture/combined_run.hpp"

namespace tessera {

/// Adds to the settings, and to the names of the faults, of a run. `plan`: what its layer plans with the settings so far.
void draw_second(CombinedRun& run, const DriveConfig& drive, const FormatPlan& plan, RandomStream random);
/// After it.
void draw_third(CombinedRun& run, const DriveConfig& drive, const FormatPlan& plan, RandomStream random);
/// After that.
void draw_fourth(CombinedRun& run, const DriveConfig& drive, const FormatPlan& plan, RandomStream random);

}  // namespace tessera
