#pragma once
// What a boot could not find out, because of one sector that it could not read.
#include "base/address.hpp"

namespace tessera {

/// Nobody knows whether these blocks were written before the power failed: reads of them fail.
struct ReadDoubt {
  HostRun blocks;
  PhysicalSector last;  ///< the sector that could not be read; of a zone, where the doubt ends
};

}  // namespace tessera
