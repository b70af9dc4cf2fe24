#pragma once
// What lies in front of interlaced tracks, as far as these ask: a sector whose newest copy is there, and stays until it is written to the
// tracks again, is of no use where it lies. A write beside it may destroy it.
#include "base/address.hpp"

namespace tessera {

class NewestCopies {
 public:
  /// Asked by a task that keeps all others from writing the sector to the tracks until it has destroyed it.
  [[nodiscard]] virtual bool in_front(LogicalSector sector) = 0;

 protected:
  ~NewestCopies() = default;
};

}  // namespace tessera
