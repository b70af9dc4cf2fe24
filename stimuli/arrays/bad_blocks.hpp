#pragma once
// Places that a drive of an array could not write, or that a rebuild could not make anew: what they hold is not the row's, so nobody reads
// them until a write of them succeeds. The list outlives power cuts, as md's in its superblock.
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "stimuli/arrays/array_address.hpp"
#include "stimuli/arrays/write_plan.hpp"

namespace tessera {

class BadBlocks {
 public:
  /// What lies on one drive of one row, in ascending order, apart from each other.
  using Ranges = std::vector<ChunkRange>;
  using Places = std::map<std::pair<ArrayRow, std::uint32_t>, Ranges>;  // by row and drive

  void add(ArrayRow row, std::uint32_t drive, ChunkRange range);
  void remove(ArrayRow row, std::uint32_t drive, ChunkRange range);
  /// The drive is gone, and what it held with it.
  void forget(std::uint32_t drive);

  [[nodiscard]] bool empty() const { return places_.empty(); }
  [[nodiscard]] bool meets(ArrayRow row, std::uint32_t drive, ChunkRange range) const;
  [[nodiscard]] const Ranges& of(ArrayRow row, std::uint32_t drive) const;
  [[nodiscard]] const Places& places() const { return places_; }
  /// How many there are, on one drive or on all.
  [[nodiscard]] std::size_t ranges(std::uint32_t drive) const;
  [[nodiscard]] std::size_t ranges() const;

 private:
  Places places_;
};

}  // namespace tessera
