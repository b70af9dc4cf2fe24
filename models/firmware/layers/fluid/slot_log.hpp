#pragma once
// Which slot of the buffer is given out next, and which is the oldest: first in, first out.
#include <cstdint>

#include "firmware/layers/fluid/fluid_config.hpp"
#include "firmware/tables/dram_table.hpp"

namespace tessera::fluid {

class SlotLog {
 public:
  SlotLog(MemoryPort& memory, std::uint32_t slots, std::uint32_t reserve, LogHoles holes);

  /// Slots that can be given out, the reserve not counted.
  [[nodiscard]] std::uint32_t room() const;

  /// Whether not even the reserve is left: sectors that were trimmed may be back after a power cut.
  [[nodiscard]] bool full() const { return taken() >= slots_; }

  struct Taken {
    std::uint32_t slot;
    std::uint64_t position;  ///< counts the slots given out: the tag of the slot's record
  };
  /// The next slot; one must be free, be it the reserve.
  Taken take();
  /// `slot` holds nothing any more.
  void release(std::uint32_t slot);
  [[nodiscard]] bool empty() const { return used_count_ == 0; }
  /// Position that was given out last.
  [[nodiscard]] std::uint64_t newest() const { return head_ - 1; }
  /// The slot that was given out first of those in use; there must be one.
  [[nodiscard]] std::uint32_t oldest() const;
  /// Position of a slot in use: what take() said.
  [[nodiscard]] std::uint64_t position_of(std::uint32_t slot) const { return positions_.read(slot); }

  /// At boot: positions up to `last` were given out, and more if not all can be read.
  void restore_head(std::uint64_t last, bool all_known = true);
  /// Whether a slot with this position can be in use under that head.
  [[nodiscard]] bool possible(std::uint64_t position) const { return holes_ == LogHoles::reuse || position + slots_ >= head_; }
  /// At boot, after restore_head(): a position, higher than `above`, for a slot in use whose own cannot be read. Where it may be the
  /// oldest it is taken for that: its own position, which a later boot may read, must not be one that is a lap behind the head by then, or
  /// that a segment took along.
  [[nodiscard]] std::uint64_t restore_position(std::uint32_t slot, std::uint64_t above);
  /// At boot: `slot` is in use; in ascending order of positions.
  void restore(std::uint32_t slot, std::uint64_t position);

  [[nodiscard]] Bytes bytes() const { return Bytes(positions_.size() * sizeof(std::uint64_t)) + lists_.bytes(); }

 private:
  static constexpr std::uint64_t unused = 0;  // positions count from 1
  static constexpr std::uint32_t in_use = 0;  // the lists
  static constexpr std::uint32_t free = 1;

  [[nodiscard]] std::uint64_t taken() const { return holes_ == LogHoles::reuse ? used_count_ : head_ - tail_; }
  void mark(std::uint32_t slot, std::uint64_t position);
  void move_tail();

  LogHoles holes_;
  std::uint32_t slots_;
  std::uint32_t reserve_;
  DramArray<std::uint64_t> positions_;  // by slot
  DramLists lists_;                     // in_use: by position; free: to be used next, where holes are reused
  std::uint64_t head_ = 1;              // position of the next slot
  std::uint64_t tail_ = 1;              // circular: slots of positions [tail, head) are not to be had
  std::uint32_t used_count_ = 0;
};

}  // namespace tessera::fluid
