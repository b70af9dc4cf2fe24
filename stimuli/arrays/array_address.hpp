#pragma once
// Addresses in an array.
#include "base/address.hpp"

namespace tessera {

using ArrayBlock = Ordinal<struct ArrayBlockTag>;  ///< 512 B block as the host sees the array
using ArrayRow = Ordinal<struct ArrayRowTag>;
using DriveSlot = Ordinal<struct DriveSlotTag>;  ///< place of a drive in the array, from 0

}  // namespace tessera
