#pragma once
// What a campaign draws besides since its second draw: faults where firmware keeps its own records, and that come and go between boots;
// cuts in quick succession; caches with all their options; a host that asks for durability all the time.
#include "base/format.hpp"
#include "base/random.hpp"
#include "platforms/torture/combined_run.hpp"

namespace tessera {

/// Adds to the settings, and to the names of the faults, of a run. `plan`: what its layer plans with the settings so far.
void draw_extras(CombinedRun& run, const DriveConfig& drive, const FormatPlan& plan, RandomStream random);

}  // namespace tessera
