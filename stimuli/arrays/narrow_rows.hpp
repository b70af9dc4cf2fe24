#pragma once
// Rows that take fewer drives than the array has: copies (raid10) and declustered parity (erasure).
//
// The chunks of all drives are a table: a column a drive, a line a place on them. Rows follow one another along the lines, each `width`
// chunks, as those of Linux md's raid10 do (drivers/md/raid10.c, near copies). The last `spares` places of each line stay empty: what a
// failed drive held in the line goes there, so that all drives read and write for a rebuild (M. Holland and G. Gibson, "Parity
// declustering for continuous operation in redundant disk arrays", ASPLOS 1992; OpenZFS dRAID).
//
// Permuted, the drives change places from slice to slice, a slice being the fewest lines that hold whole rows: in it a row meets no drive
// twice. One drawn order serves as many slices as there are drives, moved on by one drive each, so that over these every drive holds data,
// parity and spare places equally often (OpenZFS, vdev_draid.c: developed base permutations).
#include <cstdint>
#include <vector>

#include "stimuli/arrays/array_address.hpp"

namespace tessera {

class NarrowRows {
 public:
  /// A member's chunk: its drive, and which of that drive's chunks it is.
  struct Place {
    DriveSlot slot;
    std::uint64_t line = 0;
    constexpr bool operator==(const Place&) const = default;
  };

  /// `width` + `spares` are at most `drives`.
  NarrowRows(std::uint32_t width, std::uint32_t drives, std::uint32_t spares, bool permuted);

  [[nodiscard]] Place place_of(ArrayRow row, std::uint32_t member) const;
  /// Who has the spare place of that number in a line.
  [[nodiscard]] DriveSlot spare_in(std::uint64_t line, std::uint32_t number) const;
  /// Rows of drives that hold so many chunks each: those of whole slices.
  [[nodiscard]] std::uint64_t rows(std::uint64_t chunks) const { return chunks / lines_ * rows_in_slice_; }
  /// Drives that a line's rows lie on.
  [[nodiscard]] std::uint32_t used() const { return used_; }

 private:
  [[nodiscard]] DriveSlot slot_at(std::uint64_t line, std::uint32_t position) const;

  std::uint32_t width_;
  std::uint32_t drives_;
  std::uint32_t used_;
  std::uint32_t lines_;  // of a slice
  std::uint32_t rows_in_slice_;
  std::vector<std::vector<std::uint16_t>> orders_;  // drawn; none: the drives stay in their order
};

}  // namespace tessera
