#pragma once
// Where a test wants the firmware's memory.
#include <cstddef>
#include <vector>

#include "firmware/ports/memory_placement.hpp"

namespace tessera::test {

/// These kinds in the TCM, all others in the DRAM.
inline MemoryPlacement placed_in_tcm(const std::vector<MemoryCategory>& kinds) {
  MemoryPlacement made;
  made.places = {};
  for (const MemoryCategory kind : kinds) made.places[static_cast<std::size_t>(kind)] = MemoryPlace::tcm;
  return made;
}

}  // namespace tessera::test
