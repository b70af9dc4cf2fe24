#pragma once
// What is left to do of writes in place where one of them failed.
#include "firmware/ports/media_port.hpp"
#include "firmware/ports/task.hpp"

namespace tessera {

/// Of a chain that ended at a write: tries each step behind the one that failed. A write destroys what it reaches on overlapping tracks
/// whether it fails or not, so what was read from there has to be written all the same. Headers are left out: nothing may prove a
/// run whole that is not.
[[nodiscard]] Task<void> write_rest(MediaPort& media, const MediaChain& failed);

}  // namespace tessera
