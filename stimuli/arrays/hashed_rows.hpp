#pragma once
// Rows that are placed on drives by a hash: an object store's erasure code, with drives of any size.
//
// Rows belong to groups, in turn. A group ranks all drives by weighted rendezvous hashing: each draws a number from a hash of group and
// drive, -log(draw) / capacity, and the smallest win (D. Thaler and C. Ravishankar, "Using name-based mappings to increase hit rates",
// IEEE/ACM Transactions on Networking 6(1), 1998; with weights: C. Schindelhauer and G. Schomaker, "Weighted distributed hash tables",
// SPAA 2005; the buckets "straw2" of Ceph's CRUSH). The first `width` hold the group's rows, the next its spare places. So a drive that is
// added takes places from others and moves nothing between these, and what a failed drive held goes to as many drives as it had groups.
//
// A drive keeps as much room for each of its groups: the drive that has most groups for its size bounds the array, as in Ceph.
#include <cstdint>
#include <vector>

#include "stimuli/arrays/array_address.hpp"

namespace tessera {

class HashedRows {
 public:
  /// `chunks` that each drive holds, its weight; at least `width` + `spares` drives hold some. `groups`: 0 for about 100 a drive, which is
  /// what Ceph's documentation advises.
  HashedRows(std::uint32_t width, std::uint32_t spares, std::uint32_t groups, const std::vector<std::uint64_t>& chunks);

  [[nodiscard]] std::uint32_t groups() const { return groups_; }
  [[nodiscard]] std::uint64_t rows() const { return rows_of_group_ * groups_; }
  /// The drive of a member, or of the spare place of that number.
  [[nodiscard]] DriveSlot slot_of(ArrayRow row, std::uint32_t member) const { return DriveSlot(at(row, member).slot); }
  [[nodiscard]] DriveSlot spare_for(ArrayRow row, std::uint32_t number) const { return slot_of(row, width_ + number); }
  /// Which of its chunks a drive keeps for its part in the row, which it has.
  [[nodiscard]] std::uint64_t line_on(ArrayRow row, DriveSlot slot) const;
  /// Chunks of the fullest drive that are used.
  [[nodiscard]] std::uint64_t most_lines() const { return most_places_ * rows_of_group_; }

 private:
  /// A place of a group: its drive, and how many of that drive's places come before it.
  struct Place {
    std::uint32_t slot = 0;
    std::uint32_t before = 0;
  };
  [[nodiscard]] const Place& at(ArrayRow row, std::uint32_t rank) const { return places_[row.value() % groups_ * ranks_ + rank]; }

  std::uint32_t width_;
  std::uint32_t ranks_;
  std::uint32_t groups_;
  std::vector<Place> places_;  // by group and rank
  std::uint64_t most_places_ = 0;
  std::uint64_t rows_of_group_ = 0;
};

}  // namespace tessera
