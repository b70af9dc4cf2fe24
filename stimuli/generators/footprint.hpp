#pragma once
// The addresses at which a workload's requests may start: all aligned ones of a range, or those of a few extents in it.
#include <cstdint>
#include <vector>

#include "base/random.hpp"
#include "base/units.hpp"

namespace tessera {

/// Slots 0 .. slots()-1, ascending in address. Extents lie one in each of as many equal parts of the range, at a random aligned
/// place: the "active bands" and "distinct sectors a band" of a workload.
class Footprint {
 public:
  /// The whole range. `range` must hold a multiple of `alignment`.
  Footprint(Bytes first, Bytes range, Bytes alignment);
  /// `count` extents of `size` bytes; count * size must fit the range part by part, size be a multiple of alignment.
  Footprint(Bytes first, Bytes range, Bytes alignment, std::uint32_t count, Bytes size, RandomStream& random);

  [[nodiscard]] std::uint64_t slots() const { return slots_; }
  /// Address of a slot; it must exist.
  [[nodiscard]] Bytes address(std::uint64_t slot) const {
    if (starts_.empty()) return first_ + alignment_ * slot;
    return starts_[slot / slots_per_extent_] + alignment_ * (slot % slots_per_extent_);
  }

 private:
  Bytes first_;
  Bytes alignment_;
  std::uint64_t slots_;
  std::uint64_t slots_per_extent_ = 0;
  std::vector<Bytes> starts_;  // of the extents; empty: the whole range
};

}  // namespace tessera
