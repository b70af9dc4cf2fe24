#pragma once
// How many sectors a cache holds of each group of neighbours, by a hash of the group: a count of 0 says that it holds none of them, so that
// a read over many sectors need not look each of them up. Groups that share a count only cost look-ups.
#include <algorithm>
#include <bit>

#include "firmware/tables/dram_table.hpp"

namespace tessera {

class SectorGroups {
 public:
  /// For a cache of so many sectors: four counts for each, so that few groups share one.
  SectorGroups(MemoryPort& memory, std::uint64_t sectors, std::string_view what)
      : counts_(memory, MemoryCategory::metadata, std::bit_ceil(counts_per_sector * sectors), what) {}

  /// How many sectors of `run` from its first on the cache does not hold for certain, as far as their groups go.
  [[nodiscard]] std::uint32_t absent(LogicalRun run) const {
    std::uint32_t sectors = 0;
    while (sectors < run.count && counts_.read(place(run.first + sectors)) == 0) sectors += left_of_group(run.first + sectors);
    return std::min(sectors, run.count);
  }
  /// From `sector` to the end of its group.
  [[nodiscard]] static std::uint32_t left_of_group(LogicalSector sector) {
    return static_cast<std::uint32_t>(group - sector.value() % group);
  }

  void add(LogicalRun run) {
    for (std::uint32_t done = 0; done < run.count;) {
      const std::uint32_t here = std::min(left_of_group(run.first + done), run.count - done);
      counts_.write(place(run.first + done)) += here;
      done += here;
    }
  }
  void remove(LogicalSector sector) { --counts_.write(place(sector)); }

 private:
  static constexpr std::uint64_t counts_per_sector = 4;
  static constexpr std::uint64_t group = 64;  // ours: as many sectors as a step of the default drives' read-ahead
  [[nodiscard]] std::uint64_t place(LogicalSector sector) const {
    return (sector.value() / group * 0x9E3779B97F4A7C15U >> 20) & (counts_.size() - 1);  // as DramHashMap
  }

  DramArray<std::uint32_t> counts_;
};

}  // namespace tessera
