#pragma once
// How a DRAM wants the extents of DMA engines.
#include <cstdint>

#include "base/units.hpp"

namespace tessera {

struct BurstShape {
  Bytes burst{};                ///< of a transaction: a power of two; 0: an extent is one blocking transaction
  std::uint32_t under_way = 8;  ///< of one engine at most
};

}  // namespace tessera
