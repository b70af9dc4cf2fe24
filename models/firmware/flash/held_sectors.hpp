#pragma once
// Which sector each valid page of the flash tier holds, in a table that the dump engine saves. Where it survived a power cut it says alone
// which sectors are in flash: a page that is in it and cannot be read was lost since, and no page of a sector that is not in it comes back,
// whatever became of the void that spoke against it. The table is never short of a page that counts, so that a cut may come at any instant
// of a boot, too.
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
      : sectors_(memory, MemoryCategory::metadata, pages + 1, "sectors of flash pages at a cut", survival) {}

  void hold(std::uint32_t page, LogicalSector sector) { sectors_.write(page) = static_cast<std::uint32_t>(sector.value() + 1); }
  void drop(std::uint32_t page) { sectors_.write(page) = 0; }

  struct Held {
    std::uint32_t page;
    LogicalSector sector;
  };
  /// At boot: whether the table is that of the power cut.
  [[nodiscard]] bool survived() const { return sectors_.peek(pages()) == survives; }
  [[nodiscard]] bool holds(std::uint32_t page, LogicalSector sector) const { return sectors_.peek(page) == sector.value() + 1; }
  /// At boot: what pages held when the power failed; nothing where the table did not survive.
  [[nodiscard]] std::vector<Held> at_cut() const {
    std::vector<Held> held;
    if (!survived()) return held;
    for (std::uint32_t page = 0; page < pages(); ++page)
      if (sectors_.peek(page) != 0) held.push_back({page, LogicalSector(sectors_.peek(page) - 1)});
    return held;
  }
  /// At boot, when hold() was told of all pages that count: the others go, and from now on the table may be asked after a cut.
  template <class Counts>
  void settle(Counts counts) {
    for (std::uint32_t page = 0; page < pages(); ++page)
      if (!counts(page)) sectors_.peek(page) = 0;
    sectors_.peek(pages()) = survives;
  }
  [[nodiscard]] Bytes bytes() const { return Bytes(sectors_.size() * sizeof(std::uint32_t)); }

 private:
  static constexpr std::uint32_t survives = 0x6865'6c64;
  [[nodiscard]] std::uint32_t pages() const { return static_cast<std::uint32_t>(sectors_.size() - 1); }

  DramArray<std::uint32_t> sectors_;  // by page: plus one, 0 where it holds none; behind them `survives`
};

}  // namespace tessera::tiers
