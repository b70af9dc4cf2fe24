#pragma once
// The address law of an array: which drive holds a block, and where on it.
//
// A row is the chunks at one place of all drives. In a row the drives are its members: first the data columns, then P and, of raid6, Q.
// Of a mirror, member 0 holds the data and each other one a copy.
#include <boost/container/small_vector.hpp>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/address.hpp"

namespace tessera {

enum class ArrayKind : std::uint8_t { jbod, mirror, raid5, raid6 };
[[nodiscard]] const char* to_string(ArrayKind kind);

/// Drives that may fail without loss of data, of an array of so many.
[[nodiscard]] std::uint32_t failures_survived(ArrayKind kind, std::uint32_t drives);
/// The fewest drives that such an array has.
[[nodiscard]] std::uint32_t fewest_drives(ArrayKind kind);

using ArrayBlock = Ordinal<struct ArrayBlockTag>;  ///< 512 B block as the host sees the array
using ArrayRow = Ordinal<struct ArrayRowTag>;
using DriveSlot = Ordinal<struct DriveSlotTag>;  ///< place of a drive in the array, from 0

/// What of a run of array blocks lies in one chunk.
struct ArrayPart {
  ArrayRow row;
  std::uint32_t column = 0;  ///< data column, that is member, of the row; of a jbod the drive's slot
  std::uint32_t begin = 0;   ///< first block in the chunk
  std::uint32_t count = 0;
  std::uint32_t offset = 0;  ///< of its first block in the run
  constexpr bool operator==(const ArrayPart&) const = default;
  [[nodiscard]] constexpr std::uint32_t end() const { return begin + count; }
};

/// Few requests have more than one.
using ArrayParts = boost::container::small_vector<ArrayPart, 2>;

class ArrayLayout {
 public:
  /// `drive_blocks` of each drive, behind `first` blocks that the array keeps for itself. Every drive of a mirror or with parity counts as
  /// large as the smallest; whole chunks are used.
  ArrayLayout(ArrayKind kind, std::uint32_t chunk_blocks, const std::vector<std::uint64_t>& drive_blocks, HostBlock first = HostBlock(0));

  [[nodiscard]] ArrayKind kind() const { return kind_; }
  [[nodiscard]] std::uint32_t drives() const { return static_cast<std::uint32_t>(rows_of_.size()); }
  [[nodiscard]] std::uint32_t chunk_blocks() const { return chunk_; }
  /// Members of a row that hold data of their own, and those that hold P and Q.
  [[nodiscard]] std::uint32_t columns() const { return columns_; }
  [[nodiscard]] std::uint32_t parities() const { return parities_; }
  [[nodiscard]] bool has_parity() const { return parities_ != 0; }
  /// Whether a row's members stand in for each other.
  [[nodiscard]] bool redundant() const { return kind_ != ArrayKind::jbod; }
  [[nodiscard]] std::uint64_t rows() const { return rows_; }  ///< of a jbod, those of its longest drive
  [[nodiscard]] std::uint64_t user_blocks() const { return user_blocks_; }

  /// The parts of a run, in ascending order; it must lie within the array.
  [[nodiscard]] ArrayParts parts(ArrayBlock first, std::uint32_t count) const;
  /// Where a member of a row lies. Rotation is left-symmetric: that of Linux md's default (drivers/md/raid5.c, ALGORITHM_LEFT_SYMMETRIC).
  [[nodiscard]] DriveSlot slot_of(ArrayRow row, std::uint32_t member) const;
  /// The member that a drive is in a row.
  [[nodiscard]] std::uint32_t member_of(ArrayRow row, DriveSlot slot) const;
  /// The row's first block on each of its drives.
  [[nodiscard]] HostBlock place_of(ArrayRow row) const { return first_ + row.value() * chunk_; }

 private:
  ArrayKind kind_;
  std::uint32_t chunk_;
  HostBlock first_;
  std::vector<std::uint64_t> rows_of_;  // chunks that each drive holds
  std::vector<std::uint64_t> ends_;     // of a jbod: the array's first chunk after each drive
  bool alike_ = false;                  // all drives hold as many
  std::uint64_t rows_ = 0;
  std::uint32_t columns_ = 1;
  std::uint32_t parities_ = 0;
  std::uint64_t user_blocks_ = 0;
};

}  // namespace tessera
