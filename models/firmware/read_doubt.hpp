#pragma once
// What a boot could not find out, because of one sector that it could not read.
#include <vector>

#include "base/address.hpp"

namespace tessera {

/// Nobody knows whether these blocks were written before the power failed: reads of them fail.
struct ReadDoubt {
  HostRun blocks;
  std::vector<PhysicalRun> places;  ///< where they lie, or the record of them; the last sector is the one that could not be read
};

}  // namespace tessera
