#pragma once
// The read cache (SSD) of the HWSR paper: whole blocks in flash, least recently used first out, filled from what misses
// brought from the disk. It holds no data that the disk does not hold, so it is simply empty after a power cut.
//
// A unit (flash/clean_units.hpp) holds one cache block or several. Recency is kept by unit; with one cache block a unit that is the
// paper's LRU. A cache block takes whole pages.
#include <cstdint>
#include <vector>

#include "firmware/buffer/flash_areas.hpp"
#include "firmware/buffer/segment_table.hpp"
#include "firmware/flash/clean_units.hpp"
#include "firmware/ports/flash_port.hpp"

namespace tessera {

class SsdReadCache final : private CleanUnits::Index {
 public:
  using Slot = SegmentTable::Place;
  static constexpr Slot none = SegmentTable::none;

  SsdReadCache(MemoryPort& memory, FlashPort& flash, const BlockAddress& address, SegmentTable& table, FlashArea area);

  /// Blocks that can be held in such an area.
  [[nodiscard]] static std::uint32_t capacity(FlashArea area, const FlashShape& shape, std::uint32_t block_sectors);

  /// Where a block is, or none.
  [[nodiscard]] Slot find(std::uint64_t block) const;
  /// Reads sectors of a block that find() has just found, and makes its unit the most recently used.
  [[nodiscard]] Task<Status> read(Slot slot, std::uint32_t first, std::uint32_t count, DataSpan data);
  /// Takes in a whole block that was read from the disk; one call at a time. The block is not found afterwards if invalidate()
  /// was called for it in the meantime, if all units are being read, or if the flash failed.
  [[nodiscard]] Task<void> fill(std::uint64_t block, DataSpan data);
  /// The block's data is out of date.
  void invalidate(std::uint64_t block);

  [[nodiscard]] Bytes metadata_bytes() const { return units_.bytes(); }
  [[nodiscard]] std::uint64_t fills() const { return fills_; }  ///< blocks taken in
  [[nodiscard]] std::uint64_t failed_programs() const { return failed_programs_; }
  [[nodiscard]] std::uint64_t retired_blocks() const { return units_.retired() * blocks_per_unit_; }  ///< of units that are not used
  [[nodiscard]] std::uint64_t erases() const { return units_.erases(); }        ///< of flash blocks, failed ones included
  [[nodiscard]] std::uint64_t evictions() const { return units_.evictions(); }  ///< blocks that left to make room

 private:
  static constexpr std::uint64_t no_block = ~std::uint64_t{0};

  [[nodiscard]] std::uint64_t subpage(Slot slot, std::uint32_t sector) const;
  void forget(std::uint64_t block) override;

  FlashPort& flash_;
  BlockAddress address_;
  SegmentTable& table_;
  FlashShape shape_;
  std::uint32_t slot_subpages_;  // of a cache block: it begins with a page, and its last one is padded
  std::uint32_t blocks_per_unit_;
  std::uint32_t slots_per_unit_;
  CleanUnits units_;  // a slot is a place
  std::uint64_t filling_ = no_block;
  std::vector<FlashCommand> fill_commands_;
  std::uint64_t fills_ = 0;
  std::uint64_t failed_programs_ = 0;
};

}  // namespace tessera
