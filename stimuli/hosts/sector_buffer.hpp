#pragma once
// A translating host's memory of sectors that are not on the drive yet: dirty ones, in the order in which they became so, and those of
// writes that are under way. A sector is in it once, with its newest content.
#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "base/units.hpp"

namespace tessera {

class SectorBuffer {
 public:
  struct Entry {
    std::vector<std::byte> content;      ///< kept content, in modes that keep any
    std::vector<std::uint32_t> waiters;  ///< tags of requests that end when it is on the drive; of dirty data
    bool awaited = false;                ///< some request ends when it is on the drive: it stays as it is until then
    std::uint64_t order = 0;             ///< of becoming dirty, from 1; 0: clean
    std::uint64_t write = 0;             ///< the last write that took it; 0: none
    bool counts = false;                 ///< against the capacity: it is the application's, not a copy of the cleaner
  };
  struct Dirty {
    std::uint64_t sector = 0;
    std::uint64_t order = 0;
    Picoseconds since;
  };

  explicit SectorBuffer(std::uint64_t capacity) : capacity_(capacity) {}

  [[nodiscard]] Entry* find(std::uint64_t sector) {
    const auto at = entries_.find(sector);
    return at == entries_.end() ? nullptr : &at->second;
  }
  /// Whether a sector that is not the application's yet may become so.
  [[nodiscard]] bool has_room() const { return counted_ < capacity_; }

  /// The application writes the sector: its entry, dirty.
  Entry& dirty(std::uint64_t sector, Picoseconds now);
  /// The dirty sector that has been so for longest.
  [[nodiscard]] std::optional<Dirty> oldest();
  /// The oldest dirty sectors, no more than so many, in ascending order: they are part of `write` from now on.
  [[nodiscard]] std::vector<std::uint64_t> take(std::uint64_t most, std::uint64_t write);
  /// The cleaner moves a sector by `write`; the content is what it has read.
  void copy(std::uint64_t sector, std::uint64_t write, std::vector<std::byte> content);
  /// The write is on the drive.
  void settle(std::uint64_t sector, std::uint64_t write);
  /// The sector's data is no longer needed.
  void drop(std::uint64_t sector);
  void clear();

  /// The latest order that was given out.
  [[nodiscard]] std::uint64_t order() const { return order_; }
  [[nodiscard]] std::uint64_t dirty_sectors() const { return dirty_; }
  [[nodiscard]] bool empty() const { return entries_.empty(); }
  [[nodiscard]] std::uint64_t peak() const { return peak_; }

 private:
  void erase(std::uint64_t sector, const Entry& entry);

  std::uint64_t capacity_;
  boost::unordered_flat_map<std::uint64_t, Entry> entries_;  // never iterated
  std::deque<Dirty> queue_;                                  // with entries that are no longer dirty in that order
  std::uint64_t order_ = 0;
  std::uint64_t dirty_ = 0;
  std::uint64_t counted_ = 0;
  std::uint64_t peak_ = 0;
};

}  // namespace tessera
