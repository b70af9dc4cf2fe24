#pragma once
// Locks on things that have numbers: tracks, bands, mapping groups, zones. Whoever writes a zone back, or moves sectors of it in the
// buffer, holds it alone; reads and writes of its sectors share it.
#include "firmware/locks/range_locks.hpp"

namespace tessera {

using NumberLocks = RangeLocks<NumberRange>;

}  // namespace tessera
