#pragma once
// The read cache (SSD) of the HWSR paper: whole blocks in flash, least recently used first out, filled from what misses
// brought from the disk. It holds no data that the disk does not hold, so it is simply empty after a power cut.
//
// Flash is programmed page by page and erased by block. A unit is what is erased at once: the flash blocks of one cache block,
// or one flash block with several cache blocks. Recency is kept by unit; with one cache block a unit that is the paper's LRU.
// The blocks of the unit that leaves leave with it: nothing is ever copied. A cache block takes whole pages.
#include <cstdint>
#include <vector>

#include "firmware/buffer/flash_areas.hpp"
#include "firmware/buffer/segment_table.hpp"
#include "firmware/ports/flash_port.hpp"
#include "firmware/tables/dram_table.hpp"

namespace tessera {

class SsdReadCache {
 public:
  using Slot = SegmentTable::Place;
  static constexpr Slot none = SegmentTable::none;

  SsdReadCache(MemoryPort& memory, CpuPort& cpu, FlashPort& flash, const BlockAddress& address, SegmentTable& table, FlashArea area);

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

  [[nodiscard]] Bytes metadata_bytes() const;
  [[nodiscard]] std::uint64_t fills() const { return fills_; }  ///< blocks taken in
  [[nodiscard]] std::uint64_t failed_programs() const { return failed_programs_; }
  [[nodiscard]] std::uint64_t retired_blocks() const { return retired_units_ * blocks_per_unit_; }  ///< of units that are not used
  [[nodiscard]] std::uint64_t erases() const { return erases_; }        ///< of flash blocks, failed ones included
  [[nodiscard]] std::uint64_t evictions() const { return evictions_; }  ///< blocks that left to make room

 private:
  struct Unit {
    std::uint32_t readers;
    std::uint32_t given;  ///< slots programmed or given out since the last erase
  };
  enum List : std::uint32_t { fresh, in_use, lists };  // in_use: least recently used first
  static constexpr std::uint64_t no_block = ~std::uint64_t{0};

  [[nodiscard]] std::uint32_t unit_of(Slot slot) const { return slot / slots_per_unit_; }
  [[nodiscard]] std::uint64_t subpage(Slot slot, std::uint32_t sector) const;
  [[nodiscard]] Task<Status> open_unit();
  void empty_unit(std::uint32_t unit);
  void retire(std::uint32_t unit);
  void drop(Slot slot);

  CpuPort& cpu_;
  FlashPort& flash_;
  BlockAddress address_;
  SegmentTable& table_;
  std::uint64_t first_block_;
  FlashShape shape_;
  std::uint32_t slot_subpages_;  // of a cache block: it begins with a page, and its last one is padded
  std::uint32_t blocks_per_unit_;
  std::uint32_t slots_per_unit_;
  DramArray<std::uint64_t> owners_;  ///< by slot: block + 1; 0: none
  DramArray<Unit> units_;
  DramLists order_;  ///< a unit in neither list is the open one, or retired
  std::uint32_t open_ = DramLists::none;
  std::uint64_t filling_ = no_block;
  std::vector<FlashCommand> fill_commands_;
  std::uint64_t fills_ = 0;
  std::uint64_t evictions_ = 0;
  std::uint64_t erases_ = 0;
  std::uint64_t failed_programs_ = 0;
  std::uint64_t retired_units_ = 0;
};

}  // namespace tessera
