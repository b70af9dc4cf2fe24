#pragma once
// What the pages of a flash cache hold that mixes the sectors of all bands: the sector of each valid page, the valid pages of each
// region in the order in which they were used, and how many pages of a block are valid.
#include <cstdint>

#include "firmware/tables/dram_table.hpp"
#include "firmware/translation_layer.hpp"

namespace tessera {

class PageOwners {
 public:
  static constexpr std::uint32_t none = DramLists::none;

  /// Regions of `region_sectors`, the last one perhaps short.
  PageOwners(const Ports& ports, std::uint64_t user_sectors, std::uint64_t region_sectors);

  [[nodiscard]] std::uint32_t regions() const { return static_cast<std::uint32_t>(counts_.size()); }
  [[nodiscard]] std::uint32_t region_of(LogicalSector sector) const { return static_cast<std::uint32_t>(sector.value() / region_sectors_); }

  /// The page is valid, behind all others of its sector's region.
  void add(std::uint32_t page, LogicalSector sector);
  /// The page is not valid any more.
  void remove(std::uint32_t page);
  /// A copy of a valid page takes its place.
  void replace(std::uint32_t page, std::uint32_t copy);
  /// The page was used: it is behind all others of its region.
  void touch(std::uint32_t page);

  [[nodiscard]] bool valid(std::uint32_t page) const { return sectors_.read(page) != 0; }
  /// Of a valid page.
  [[nodiscard]] LogicalSector sector(std::uint32_t page) const { return LogicalSector(sectors_.read(page) - 1); }
  [[nodiscard]] std::uint32_t valid_in(std::uint32_t block) const { return blocks_.read(block); }
  /// Valid pages of a region: how many, the first one, and the one behind a page; `none` at the end.
  [[nodiscard]] std::uint32_t count(std::uint32_t region) const { return counts_.read(region); }
  [[nodiscard]] std::uint32_t first(std::uint32_t region) const { return lists_.front(region); }
  [[nodiscard]] std::uint32_t after(std::uint32_t page) const { return lists_.after(page); }

  /// Regions with a valid page.
  [[nodiscard]] std::uint32_t cached_regions() const { return cached_regions_; }

  [[nodiscard]] Bytes bytes() const;

  /// Calls f(sector) for each valid page, without a charge: for whoever looks on.
  template <class F>
  void each_sector(F&& f) const {
    for (std::uint64_t page = 0; page < sectors_.size(); ++page)
      if (sectors_.peek(page) != 0) f(LogicalSector(sectors_.peek(page) - 1));
  }

 private:
  void count_valid(std::uint32_t page, int change);

  std::uint64_t region_sectors_;
  std::uint32_t pages_per_block_;
  DramArray<std::uint64_t> sectors_;  // by page: its sector plus one, 0 where it is not valid
  DramArray<std::uint16_t> blocks_;
  DramArray<std::uint32_t> counts_;
  std::uint32_t cached_regions_ = 0;
  DramLists lists_;
};

}  // namespace tessera
