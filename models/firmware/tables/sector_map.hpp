#pragma once
// The sector mapping table of a cache: which place of it, a flash page or a slot of a buffer, holds a sector. One interface, three
// representations: an array over all user sectors, a hash table over the cached ones, and an array in pages of which only some are
// in DRAM (tables/paged_sector_map.hpp).
#include <cstdint>
#include <memory>

#include "base/metrics.hpp"
#include "base/parameter.hpp"
#include "firmware/tables/dram_table.hpp"
#include "firmware/translation_layer.hpp"

namespace tessera {

class SectorMap {
 public:
  static constexpr std::uint32_t none = DramHashMap::none;

  virtual ~SectorMap() = default;

  /// The beginning of `run` whose entries can be pinned at once.
  [[nodiscard]] virtual LogicalRun piece(LogicalRun run) const { return run; }
  /// Brings the entries of a piece into DRAM, where they stay until unpin(). A task holds one piece at a time, and neither takes a
  /// lock nor waits for space while it does: so whoever waits for a place in DRAM gets one.
  [[nodiscard]] virtual Task<Status> pin(LogicalRun piece);
  virtual void unpin(LogicalRun) {}

  /// Charged; the sector is pinned. Its place, or none.
  [[nodiscard]] virtual std::uint32_t find(LogicalSector sector) const = 0;
  /// Charged; the sector is pinned.
  virtual void set(LogicalSector sector, std::uint32_t place) = 0;
  /// Charged; the sector is pinned and has a place, which it loses.
  virtual void erase(LogicalSector sector) = 0;

  /// Memory as the papers would count it.
  [[nodiscard]] virtual Bytes paper_bytes() const = 0;
  /// Memory that is really taken.
  [[nodiscard]] virtual Bytes bytes() const = 0;
  virtual void report(MetricSet&) const {}
};

enum class MapKind : std::uint32_t { array, hash, paged };

struct SectorMapConfig {
  MapKind kind = MapKind::array;
  Bytes cache{1 << 20};  // ours

  void describe(ParameterVisitor& v);
  /// Conventional sectors that a drive of at most `user_sectors` must set aside for map pages.
  [[nodiscard]] std::uint64_t stored_sectors(std::uint64_t user_sectors, std::uint32_t sector_bytes) const;
  /// A sentence why such a map cannot be, or nothing.
  [[nodiscard]] std::string problem(std::uint32_t sector_bytes) const;
};

/// `region`: the conventional region "map" of the plan, for map pages that are not in DRAM; `places`: of the cache.
[[nodiscard]] std::unique_ptr<SectorMap> make_sector_map(const SectorMapConfig& config, const Ports& ports, const DriveGeometry& geometry,
                                                         const FormatPlan& region, std::uint64_t user_sectors, std::uint64_t places);

}  // namespace tessera
