#pragma once
// Where each sector of a log-structured host is. What mkfs and use left is a law and takes no memory; pages of the map come to be where it
// changes, and copies of the map share them until one of the copies changes again.
#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>
#include <memory>
#include <vector>

namespace tessera {

/// Sector of the application, and place in the data zones, counted in sectors through all of them.
using LogSector = std::uint64_t;
using LogPlace = std::uint64_t;

/// Never written, or trimmed; of a place: nobody's.
inline constexpr std::uint64_t nowhere = ~std::uint64_t{0};
/// Of a sector that could not be read when it was to be moved: it has no data until it is written again.
inline constexpr LogPlace lost_place = nowhere - 1;

/// The first sectors of the user space in order, in records over `there` records of the data zones, with dead ones evenly among them.
struct LogPrefill {
  std::uint64_t sectors = 0;
  std::uint64_t record = 1;  ///< sectors of one
  std::uint64_t needed = 0;  ///< records that hold them
  std::uint64_t there = 1;

  [[nodiscard]] LogPlace place(LogSector sector) const;
  [[nodiscard]] LogSector owner(LogPlace place) const;
  /// Sectors that lie before a place.
  [[nodiscard]] std::uint64_t before(LogPlace place) const;

 private:
  [[nodiscard]] bool holds(std::uint64_t number) const;
};

class LogMap {
 public:
  LogMap() = default;
  explicit LogMap(const LogPrefill& prefill) : prefill_(prefill) {}

  [[nodiscard]] const LogPrefill& prefill() const { return prefill_; }
  [[nodiscard]] LogPlace place(LogSector sector) const {
    const auto at = pages_.find(sector / page_sectors);
    return at == pages_.end() ? prefill_.place(sector) : (*at->second)[sector % page_sectors];
  }
  void set(LogSector sector, LogPlace place) { own(sector / page_sectors)[sector % page_sectors] = place; }

  /// Calls `change(sector, place)` for each sector of the pages, in no order, which gives the sector's place from then on.
  template <class Change>
  void change_pages(const Change& change) {
    for (auto& [number, page] : pages_)
      for (std::uint64_t i = 0; i < page_sectors; ++i)
        if (const LogPlace now = change(number * page_sectors + i, (*page)[i]); now != (*page)[i]) unshared(page)[i] = now;
  }
  [[nodiscard]] std::size_t pages() const { return pages_.size(); }

 private:
  static constexpr std::uint64_t page_sectors = 64;  // few, so that a write anywhere costs little
  using Page = std::vector<LogPlace>;
  [[nodiscard]] Page& own(std::uint64_t number);
  [[nodiscard]] static Page& unshared(std::shared_ptr<Page>& page);

  LogPrefill prefill_;
  boost::unordered_flat_map<std::uint64_t, std::shared_ptr<Page>> pages_;
};

}  // namespace tessera
