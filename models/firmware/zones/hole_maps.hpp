#pragma once
// Which sectors below the write pointers hold data and which are padding. A zone without padding has no bitmap; one with padding
// takes a bitmap from a pool, 8 KiB for 65,536 sectors. When the pool is empty, and after a power cut, padding counts as data:
// it was written as never-written content, so reads are right all the same.
#include <cstdint>

#include "firmware/tables/dram_table.hpp"

namespace tessera {

class HoleMaps {
 public:
  HoleMaps(MemoryPort& memory, std::uint32_t zones, std::uint32_t zone_sectors, std::uint32_t maps);

  /// Whether sector `offset` of `zone`, which lies below the write pointer, holds data.
  [[nodiscard]] bool valid(std::uint32_t zone, std::uint32_t offset) const;
  /// Sectors of [0, end) that hold data; `end` is the write pointer.
  [[nodiscard]] std::uint32_t count_valid(std::uint32_t zone, std::uint32_t end) const;
  /// One behind the last sector of [0, end) that holds data; 0 where none does.
  [[nodiscard]] std::uint32_t end_of_valid(std::uint32_t zone, std::uint32_t end) const;

  /// Sectors [first, end) hold no data any more, or not yet.
  void mark_holes(std::uint32_t zone, std::uint32_t first, std::uint32_t end);
  void mark_valid(std::uint32_t zone, std::uint32_t offset);
  /// Gives the bitmap of `zone` back: no holes.
  void clear(std::uint32_t zone);

  [[nodiscard]] Bytes bytes() const { return Bytes(words_.size() * 8 + (owner_map_.size() + free_.size()) * 4); }

 private:
  static constexpr std::uint32_t none = 0;  // maps are numbered from 1

  [[nodiscard]] std::uint64_t word_of(std::uint32_t map, std::uint32_t offset) const {
    return std::uint64_t{map - 1} * words_per_map_ + offset / 64;
  }

  std::uint32_t words_per_map_;
  DramArray<std::uint64_t> words_;      // a set bit is a hole
  DramArray<std::uint32_t> owner_map_;  // by zone: its map, or none
  DramArray<std::uint32_t> free_;       // stack of unused maps
  std::uint32_t free_count_;
};

}  // namespace tessera
