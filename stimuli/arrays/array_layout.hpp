#pragma once
// The address law of an array: which drive holds a block, and where on it.
//
// A row is the chunks that belong together: its members are first the data columns, then P, Q and so on. Of a mirror and of raid10,
// member 0 holds the data and each other one a copy. A row takes a chunk of every drive, at one place on all, or is narrower
// (narrow_rows.hpp, hashed_rows.hpp).
#include <algorithm>
#include <boost/container/small_vector.hpp>
#include <cstdint>
#include <optional>
#include <vector>

#include "stimuli/arrays/array_address.hpp"
#include "stimuli/arrays/array_shape.hpp"
#include "stimuli/arrays/hashed_rows.hpp"
#include "stimuli/arrays/narrow_rows.hpp"

namespace tessera {

/// What of a run of array blocks lies in one chunk.
struct ArrayPart {
  ArrayRow row;
  std::uint32_t column = 0;  ///< data column, that is member, of the row; of a jbod the drive's slot
  std::uint32_t begin = 0;   ///< first block in the chunk
  std::uint32_t count = 0;
  std::uint32_t offset = 0;  ///< of its first block in the run
  constexpr bool operator==(const ArrayPart&) const = default;
  [[nodiscard]] constexpr std::uint32_t end() const { return begin + count; }
  /// What of it lies between two blocks of the chunk; of no blocks where nothing does.
  [[nodiscard]] constexpr ArrayPart within(std::uint32_t from, std::uint32_t to) const {
    const std::uint32_t first = std::min(std::max(begin, from), end());
    const std::uint32_t last = std::max(first, std::min(end(), to));
    return {row, column, first, last - first, offset + (first - begin)};
  }
};

/// Few requests have more than one.
using ArrayParts = boost::container::small_vector<ArrayPart, 2>;

class ArrayLayout {
 public:
  /// `drive_blocks` of each drive, after `first` blocks that the array keeps for itself. But for a jbod and
  /// placement by hash every drive counts as large as the smallest; whole chunks are used.
  ArrayLayout(const ArrayShape& shape, std::uint32_t chunk_blocks, const std::vector<std::uint64_t>& drive_blocks,
              HostBlock first = HostBlock(0));

  [[nodiscard]] ArrayKind kind() const { return shape_.kind; }
  [[nodiscard]] const ArrayShape& shape() const { return shape_; }
  [[nodiscard]] std::uint32_t drives() const { return static_cast<std::uint32_t>(rows_of_.size()); }
  [[nodiscard]] std::uint32_t chunk_blocks() const { return chunk_; }
  /// Members of a row; those that hold data of their own, and those that hold parity.
  [[nodiscard]] std::uint32_t width() const { return width_; }
  [[nodiscard]] std::uint32_t columns() const { return columns_; }
  [[nodiscard]] std::uint32_t parities() const { return parities_; }
  [[nodiscard]] bool has_parity() const { return parities_ != 0; }
  /// Whether a row's members stand in for each other.
  [[nodiscard]] bool redundant() const { return kind() != ArrayKind::jbod; }
  /// Members that may be missing of a row without loss.
  [[nodiscard]] std::uint32_t survives() const { return shape_.failures_survived(drives()); }
  [[nodiscard]] std::uint64_t rows() const { return rows_; }  ///< of a jbod, those of its longest drive
  [[nodiscard]] std::uint64_t user_blocks() const { return user_blocks_; }
  /// The end of what the array uses of each drive.
  [[nodiscard]] HostBlock drive_end() const;
  /// Of placement by hash: the share of the drives' chunks that rows and their spare places take.
  [[nodiscard]] double share_used() const;
  /// Rows that lie side by side on the drives: 1, or the share of a row that a drive has to do with, inverted.
  [[nodiscard]] double rows_abreast() const;

  /// The parts of a run, in ascending order; it must lie within the array.
  [[nodiscard]] ArrayParts parts(ArrayBlock first, std::uint32_t count) const;
  /// Where a member of a row lies. Rotation over whole rows is left-symmetric: that of Linux md's default (drivers/md/raid5.c,
  /// ALGORITHM_LEFT_SYMMETRIC).
  [[nodiscard]] DriveSlot slot_of(ArrayRow row, std::uint32_t member) const;
  /// The member that a drive is in a row; nothing where it has no part in it.
  [[nodiscard]] std::optional<std::uint32_t> member_of(ArrayRow row, DriveSlot slot) const;
  /// A member's first block on the drive that holds it: its own, or one that has a spare place for it.
  [[nodiscard]] HostBlock place_of(ArrayRow row, std::uint32_t member, DriveSlot holder) const;
  [[nodiscard]] HostBlock place_of(ArrayRow row, std::uint32_t member) const { return place_of(row, member, slot_of(row, member)); }
  /// Who has the spare place of that number next to a member.
  [[nodiscard]] DriveSlot spare_for(ArrayRow row, std::uint32_t member, std::uint32_t number) const;

 private:
  ArrayShape shape_;
  std::uint32_t chunk_;
  HostBlock first_;
  std::vector<std::uint64_t> rows_of_;  // chunks that each drive holds
  std::vector<std::uint64_t> ends_;     // of a jbod: the array's first chunk after each drive
  std::optional<NarrowRows> narrow_;
  std::optional<HashedRows> hashed_;
  bool alike_ = false;  // all drives hold as many
  std::uint64_t rows_ = 0;
  std::uint32_t width_ = 1;
  std::uint32_t columns_ = 1;
  std::uint32_t parities_ = 0;
  std::uint64_t user_blocks_ = 0;
};

}  // namespace tessera
