#pragma once
// The map written down: all its extents, and where the log stood. A boot loads the last one and looks at what the log holds
// behind it.
#include <cstdint>

#include "firmware/layers/media_cache/band_store.hpp"
#include "firmware/layers/media_cache/extent_map.hpp"
#include "firmware/layers/media_cache/media_cache_config.hpp"
#include "firmware/logs/table_log.hpp"

namespace tessera::media_cache {

class MapCheckpoint final : private TableLog::Table {
 public:
  struct Log {
    std::uint64_t head = 0;
    std::uint64_t tail = 0;
    std::uint64_t images = 0;  ///< of the merge area that are of no use any more
  };

  MapCheckpoint(const Ports& ports, const MediaCacheConfig& config, const DriveGeometry& geometry, const FormatPlan& regions,
                ExtentMap& map, const BandStore& bands);

  [[nodiscard]] static std::uint64_t image_bytes_of(std::uint32_t entries) {
    return words_in_front * 8 + std::uint64_t{entries} * sizeof(Entry);
  }

  [[nodiscard]] Task<Status> write(const Log& log);
  /// Boot: extents in front of the tail are left out, as what the log holds there is of no use.
  [[nodiscard]] Task<Status> recover();
  /// Then, once the map is complete: another one, where a sector of the last could not be read.
  [[nodiscard]] Task<bool> repair(const Log& log);

  [[nodiscard]] const Log& log() const { return log_; }
  /// Number of the checkpoint in force; each has a higher one than those before it.
  [[nodiscard]] std::uint64_t generation() const { return table_log_.generation(); }
  [[nodiscard]] std::uint64_t sectors_written() const { return table_log_.sectors_written(); }

 private:
  struct Entry {
    std::uint64_t first;
    std::uint64_t position;
    std::uint32_t count;
    std::uint32_t hole;  ///< 1: of what was trimmed
  };
  static constexpr std::uint64_t words_in_front = 4;

  [[nodiscard]] std::uint64_t image_bytes() const override { return image_bytes_of(map_.capacity()); }
  [[nodiscard]] std::uint64_t used_bytes() const override { return image_bytes_of(map_.size()); }
  void save(std::span<std::byte> image) const override;
  void load(std::span<const std::byte> image) override;
  void replay(const TableLog::Words&, std::span<const std::byte>) override {}

  CpuPort& cpu_;
  ExtentMap& map_;
  const BandStore& bands_;
  Log log_;
  TableLog table_log_;
};

}  // namespace tessera::media_cache
