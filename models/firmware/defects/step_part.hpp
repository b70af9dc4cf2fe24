#pragma once
// Runs that cannot be carried out as they are, part by part.
#include <cstdint>

#include "firmware/ports/media_port.hpp"

namespace tessera {

/// Sectors [first, first + count) of a step as a step of its own. The header goes with the part that holds the run's last sector.
[[nodiscard]] MediaStep part_of_step(const MediaStep& step, std::uint32_t first, std::uint32_t count, const MediaPort& media);

}  // namespace tessera
