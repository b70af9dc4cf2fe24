#pragma once
// Sectors that the factory moved, in the order of the defect table: the drive's primary list, which no write changes.
#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/geometry.hpp"
#include "firmware/defects/defect_table.hpp"

namespace tessera {

struct FactoryRemap {
  std::uint64_t sector = 0;  ///< DefectTable::key()
  PhysicalSector to;
};

class FactoryRemaps {
 public:
  explicit FactoryRemaps(const std::vector<RemappedSector>& remaps) {
    entries_.reserve(remaps.size());
    for (const RemappedSector& moved : remaps) entries_.push_back({DefectTable::key(moved.from.track, moved.from.index), moved.to});
    std::ranges::sort(entries_, {}, &FactoryRemap::sector);
  }

  [[nodiscard]] bool empty() const { return entries_.empty(); }
  /// The first of a sector in [first, end) by DefectTable::key(), or null.
  [[nodiscard]] const FactoryRemap* first_in(std::uint64_t first, std::uint64_t end) const {
    const auto at = std::ranges::lower_bound(entries_, first, {}, &FactoryRemap::sector);
    return at != entries_.end() && at->sector < end ? &*at : nullptr;
  }

 private:
  std::vector<FactoryRemap> entries_;
};

}  // namespace tessera
