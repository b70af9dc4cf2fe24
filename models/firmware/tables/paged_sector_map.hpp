#pragma once
// A sector map of which DRAM holds only the map pages used last (a demand-paged translation map). A map page is the entries of as
// many sectors as fit one sector; the others lie in a conventional region on disk, each at two places side by side: one that cannot be
// read costs nothing.
//
// The map need not survive a power cut: boot finds every cached sector again by its out-of-band area. So the region is nothing but
// an extension of the DRAM, and what it holds from before a cut is void.
#include <cstdint>
#include <vector>

#include "firmware/layout/conventional_layout.hpp"
#include "firmware/locks/wait_queue.hpp"
#include "firmware/tables/sector_map.hpp"

namespace tessera {

class PagedSectorMap final : public SectorMap {
 public:
  /// Of each map page on disk.
  static constexpr std::uint64_t copies = 2;

  PagedSectorMap(const Ports& ports, const DriveGeometry& geometry, const FormatPlan& region, std::uint64_t user_sectors, Bytes cache);

  [[nodiscard]] LogicalRun piece(LogicalRun run) const override;
  [[nodiscard]] Task<Status> pin(LogicalRun piece) override;
  void unpin(LogicalRun piece) override;
  [[nodiscard]] std::uint32_t find(LogicalSector sector) const override;
  void set(LogicalSector sector, std::uint32_t place) override;
  void erase(LogicalSector sector) override { set(sector, none); }
  /// The cache, and for each map page in it a number of four bytes.
  [[nodiscard]] Bytes paper_bytes() const override;
  [[nodiscard]] Bytes bytes() const override;
  void report(MetricSet& metrics) const override;

 private:
  /// A place for a map page.
  struct Frame {
    std::uint64_t map_page;
    std::uint32_t pins;
    bool used;   ///< holds `map_page`
    bool dirty;  ///< differs from the region
    bool busy;   ///< on its way from or to the region
  };
  static constexpr std::uint32_t least_recent = 0;  // the list of frames that may be given to another map page

  [[nodiscard]] std::uint64_t map_page_of(LogicalSector sector) const { return sector.value() / entries_; }
  [[nodiscard]] std::uint64_t entry_of(LogicalSector sector) const;
  [[nodiscard]] Task<Status> write_back(std::uint32_t frame);
  [[nodiscard]] Task<Status> load(std::uint32_t frame, std::uint64_t map_page);
  [[nodiscard]] Task<Status> transfer(MediaOp op, std::uint32_t frame);

  Ports ports_;
  std::uint32_t sector_bytes_;
  std::uint32_t entries_;  // of a map page
  ConventionalLayout layout_;
  DramArray<std::uint32_t> pages_;  // by frame: map pages; an entry is a place plus one
  DramArray<Frame> frames_;
  DramLists order_;
  DramHashMap resident_;  // map page to frame
  DramBitmap stored_;     // map pages that the region holds
  WaitQueue changed_;
  struct Statistics {
    std::uint64_t hits = 0;
    std::uint64_t misses = 0;
    std::uint64_t reads = 0;
    std::uint64_t writes = 0;
    Picoseconds time;
  } statistics_;
};

}  // namespace tessera
