#pragma once
// A single access of the CPU to a table in the DRAM, as one of a run that is priced together.
#include <cstdint>

#include "base/address.hpp"
#include "base/units.hpp"
#include "firmware/ports/memory_port.hpp"

namespace tessera {

struct TableAccess {
  DramAddress address;
  Picoseconds at;  ///< when it would begin if those of the run in front of it took no time
  std::uint32_t bytes = 0;
  Access access = Access::read;
};

}  // namespace tessera
