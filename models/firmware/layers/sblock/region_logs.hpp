#pragma once
// The circular log of each region and where its S-blocks lie. Pure bookkeeping: what is written, and when, is the store's affair.
//
//        tail            head  `- guard -'  tail
//   | ... | A | B | . | C | . | .  .  .  . | D | ...      slots of a region, a circle
//
// Positions count the slots given out since the region was empty; position p is slot p % slots. The slots [head, head + guard] hold
// nothing live: writing at the head overlaps them.
#include <cstdint>
#include <span>

#include "firmware/tables/dram_table.hpp"

namespace tessera::sblock {

struct LogShape {
  std::uint32_t slots = 0;    ///< of a region, the internal guard's included
  std::uint32_t guard = 0;    ///< slots that a write at the head may damage behind its own
  std::uint32_t sblocks = 0;  ///< S-blocks that live in a region; at most slots - guard - 2
};

class RegionLogs {
 public:
  static constexpr std::uint32_t none = 0xFFFF;        ///< no slot, no S-block
  static constexpr std::uint32_t most_slots = 0xFFFE;  ///< a table entry has 2 bytes

  RegionLogs(MemoryPort& memory, std::uint32_t regions, LogShape shape);

  [[nodiscard]] std::uint32_t regions() const { return static_cast<std::uint32_t>(ends_.size()); }
  [[nodiscard]] const LogShape& shape() const { return shape_; }

  /// Where an S-block lies; none where it holds nothing.
  [[nodiscard]] std::uint32_t slot_of(std::uint32_t region, std::uint32_t sblock) const { return slots_.read(entry(region, sblock)); }
  /// For tests, without a charge.
  [[nodiscard]] std::uint32_t peek_slot(std::uint32_t region, std::uint32_t sblock) const { return slots_.peek(entry(region, sblock)); }
  /// Slots that can be written before the internal guard meets the tail.
  [[nodiscard]] std::uint32_t free_slots(std::uint32_t region) const;
  /// Of all regions, without a charge.
  [[nodiscard]] std::uint64_t peek_free_slots() const;
  /// Position of the next slot to write.
  [[nodiscard]] std::uint64_t head(std::uint32_t region) const { return ends_.read(region).head; }
  /// Position of the oldest slot in use.
  [[nodiscard]] std::uint64_t tail(std::uint32_t region) const { return ends_.read(region).tail; }
  [[nodiscard]] std::uint32_t slot_at(std::uint64_t position) const { return static_cast<std::uint32_t>(position % shape_.slots); }

  /// Slots in front of the head that no write has reached over since they were written.
  [[nodiscard]] std::uint32_t intact_slots() const { return shape_.slots - shape_.guard - 1; }

  /// The slot at the head holds `sblock` now; where it lay before is dead. At least one slot must be free.
  void append(std::uint32_t region, std::uint32_t sblock);
  /// The S-block in the oldest slot; none where that slot is dead. There must be one in use.
  [[nodiscard]] std::uint32_t at_tail(std::uint32_t region) const;
  /// Gives the oldest slot back; what it held must be dead.
  void pass_tail(std::uint32_t region);
  /// `sblock` holds nothing any more.
  void drop(std::uint32_t region, std::uint32_t sblock) { slots_.write(entry(region, sblock)) = none; }

  /// The S-block that the last append wrote; 0 where there was none since the tables were loaded.
  [[nodiscard]] std::uint32_t newest(std::uint32_t region) const {
    const Ends& ends = ends_.peek(region);
    return ends.head == 0 ? 0 : owners_.peek(owner(region, slot_at(ends.head - 1)));
  }

  /// At boot: the slot at `position` was written with `sblock` after all that the tables show; in ascending order.
  void replay(std::uint32_t region, std::uint64_t position, std::uint32_t sblock);
  /// Used state: the first `sblocks` of an empty region were written in order.
  void prefill(std::uint32_t region, std::uint32_t sblocks);

  /// The tables as they go into a checkpoint.
  [[nodiscard]] static std::uint64_t image_bytes(std::uint64_t regions, const LogShape& shape) {
    return regions * (sizeof(Ends) + shape.sblocks * sizeof(Entry));
  }
  void save(std::span<std::byte> image) const;
  void load(std::span<const std::byte> image);

  /// DRAM of the tables.
  [[nodiscard]] Bytes bytes() const;

 private:
  struct Ends {
    std::uint64_t head;  ///< position of the next slot
    std::uint64_t tail;  ///< position of the oldest slot in use
  };
  using Entry = std::uint16_t;

  [[nodiscard]] std::uint64_t entry(std::uint32_t region, std::uint32_t sblock) const {
    return std::uint64_t{region} * shape_.sblocks + sblock;
  }
  [[nodiscard]] std::uint64_t owner(std::uint32_t region, std::uint32_t slot) const { return std::uint64_t{region} * shape_.slots + slot; }
  void rebuild_owners();

  LogShape shape_;
  DramArray<Ends> ends_;     // by region
  DramArray<Entry> slots_;   // by S-block: the paper's table
  DramArray<Entry> owners_;  // by slot: what was written there last, so that the tail need not be read to see whether it lives
};

}  // namespace tessera::sblock
