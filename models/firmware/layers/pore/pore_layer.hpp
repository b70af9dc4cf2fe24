#pragma once
// PORE, "partially open region for eviction", as the MU-RMW paper (Ma et al., section II-B) compares itself with it: all flash blocks
// serve all bands, and a cleaning evicts the data of a part of the bands only.
//
// layer.cpp has the cache and the choice of what a cleaning evicts, reclaim.cpp how it wins blocks back.
#include <vector>

#include "firmware/layers/pore/pore_config.hpp"
#include "firmware/layers/pore/pore_open_regions.hpp"

namespace tessera::pore {

class Pore final : public FlashCacheLayer {
 public:
  Pore(const Ports& ports, const PoreConfig& config, const DriveGeometry& geometry, const FormatPlan& plan);

  void report(MetricSet& metrics) const override;

  /// For tests: hits of a region's cached pages since the last cleaning.
  [[nodiscard]] std::uint32_t heat(std::uint32_t region) const { return heat_.peek(region); }

 private:
  static constexpr std::uint32_t cache = 0;  // the one space

  [[nodiscard]] std::uint32_t space_of(std::uint32_t) const override { return cache; }
  [[nodiscard]] std::uint32_t admits(const PageSpace& space, std::uint32_t count) const override;
  [[nodiscard]] std::uint32_t reserve() const override { return config_.reserve_blocks; }
  [[nodiscard]] Task<Status> make_room(std::uint32_t space) override;
  void stored(LogicalSector sector, std::uint32_t page, bool update) override;
  void read_hit(LogicalSector sector, std::uint32_t page) override;
  [[nodiscard]] bool leaves(std::uint32_t page) const override;
  void restored() override;

  // What a cleaning evicts (layer.cpp)
  void collect_candidates();
  void choose_bands();
  void choose_oldest_pages();
  [[nodiscard]] Task<Status> evict();
  void cool();
  void stamp(std::uint32_t page) { stamps_.write(page) = ++uses_; }

  // Winning blocks back (reclaim.cpp)
  /// Sectors for which so many take room, in whole pages.
  [[nodiscard]] std::uint32_t whole_pages(std::uint32_t sectors) const {
    return (sectors + shape_.subpages - 1) / shape_.subpages * shape_.subpages;
  }
  [[nodiscard]] Task<Status> reclaim();
  [[nodiscard]] Task<void> erase_empty();
  [[nodiscard]] Task<Status> empty_blocks(std::span<const std::uint32_t> blocks);
  [[nodiscard]] Task<Status> copy_pages(std::span<const std::uint32_t> pages);
  /// Of a sector.
  struct Copy {
    std::uint32_t from;
    std::uint32_t to;
    bool inside;  ///< by copyback
  };
  void count_moves(const Copy& copy);
  void pair_up(std::span<const std::uint32_t> pages);

  PoreConfig config_;
  std::uint32_t period_;
  DramArray<std::uint32_t> heat_;
  DramArray<std::uint64_t> stamps_;  // original: when a page was used last
  DramBitmap chosen_;                // original: pages that the cleaning evicts
  DramArray<std::uint8_t> moves_;    // with copybacks: how often in a row each page of the flash was moved by one
  DataBuffer copies_;
  std::vector<Copy> pairs_;
  std::vector<FlashCommand> reads_;
  std::vector<FlashCommand> commands_;
  std::vector<Candidate> candidates_;
  std::vector<std::uint32_t> bands_to_merge_;
  std::vector<std::uint32_t> chosen_pages_;
  std::uint64_t uses_ = 0;
  std::uint64_t copied_ = 0;
  std::uint64_t moved_ = 0;  // of these, by copyback
  Tally open_regions_;
  std::uint64_t valid_ = 0;  // cached pages that cleanings found
  std::uint64_t kept_ = 0;   // of them, pages that they kept
};

}  // namespace tessera::pore
