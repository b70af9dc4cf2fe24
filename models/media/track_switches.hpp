#pragma once
// From a drive's skews to what lies between tracks that no skew was declared for: layers on overlapped tracks go over several radii at a
// time, or over one surface alone.
#include "media/media_config.hpp"

namespace tessera {

/// Of a valid description. The declared cylinder skew covers one radius; farther ones take as much more as their seek does.
[[nodiscard]] TrackSwitches track_switches(const MediaConfig& config);

}  // namespace tessera
