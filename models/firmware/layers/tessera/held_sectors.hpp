#pragma once
// Which sector each valid page of the flash tier holds, in a table that the dump engine saves. It is asked at boot for the pages that
// cannot be read: what is in it was programmed and acknowledged, so that such a page was lost since, and no older copy of its sector
// counts.
#include <cstdint>
#include <vector>

#include "firmware/tables/dram_table.hpp"
#include "firmware/translation_layer.hpp"

namespace tessera::tiers {

class HeldSectors {
 public:
  /// Of the drive, so that four bytes name one.
  static constexpr std::uint64_t most_sectors = 0xffff'fffe;

  HeldSectors(MemoryPort& memory, std::uint32_t pages, Survival survival)
      : sectors_(memory, MemoryCategory::metadata, pages, "sectors of flash pages at a cut", survival) {}

  void hold(std::uint32_t page, LogicalSector sector) { sectors_.write(page) = static_cast<std::uint32_t>(sector.value() + 1); }
  void drop(std::uint32_t page) { sectors_.write(page) = 0; }

  struct Held {
    std::uint32_t page;
    LogicalSector sector;
  };
  /// At boot: what pages held when the power failed.
  [[nodiscard]] std::vector<Held> at_cut() const {
    std::vector<Held> held;
    for (std::uint32_t page = 0; page < sectors_.size(); ++page)
      if (sectors_.peek(page) != 0) held.push_back({page, LogicalSector(sectors_.peek(page) - 1)});
    return held;
  }
  /// At boot, behind at_cut(): nothing is held.
  void clear() {
    for (std::uint32_t page = 0; page < sectors_.size(); ++page) sectors_.peek(page) = 0;
  }
  [[nodiscard]] Bytes bytes() const { return Bytes(sectors_.size() * sizeof(std::uint32_t)); }

 private:
  DramArray<std::uint32_t> sectors_;  // by page: plus one, 0 where it holds none
};

}  // namespace tessera::tiers
