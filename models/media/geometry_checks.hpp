#pragma once
// What may be wrong with the orders of tracks, the zones of single surfaces and the tolerances of heads and arms: a sentence each.
#include <string>
#include <vector>

#include "media/media_config.hpp"

namespace tessera {

/// The zones common to all must be sound.
void check_surface_zones(const MediaConfig& config, std::vector<std::string>& problems);
/// The zones of single surfaces must be sound, too.
void check_track_order(const MediaConfig& config, std::vector<std::string>& problems);
/// The zones of single surfaces must be sound, too.
void check_head_tolerances(const MediaConfig& config, std::vector<std::string>& problems);
void check_arm_tolerances(const MediaConfig& config, std::vector<std::string>& problems);

}  // namespace tessera
