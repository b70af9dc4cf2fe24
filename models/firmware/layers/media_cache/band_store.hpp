#pragma once
// The bands in place: static, `band_tracks` shingled tracks each. Of each band it is known up to where it was ever written: behind that a
// write destroys nothing.
#include <cstdint>

#include "firmware/layers/media_cache/media_cache_config.hpp"
#include "firmware/layout/band_track_layout.hpp"
#include "firmware/tables/dram_table.hpp"
#include "firmware/translation_layer.hpp"

namespace tessera::media_cache {

struct Band {
  std::uint64_t number = 0;
  LogicalSector first;
  std::uint32_t sectors = 0;
  std::uint32_t track_sectors = 0;
  [[nodiscard]] LogicalSector end() const { return first + sectors; }
};

class BandStore {
 public:
  BandStore(const Ports& ports, const MediaCacheConfig& config, const DriveGeometry& geometry, const FormatPlan& regions);

  [[nodiscard]] std::uint64_t user_sectors() const { return user_sectors_; }
  [[nodiscard]] std::uint64_t bands() const { return layout_.bands(); }
  /// Sectors of the longest band.
  [[nodiscard]] std::uint32_t most_sectors() const { return most_sectors_; }
  [[nodiscard]] Band band_of(LogicalSector sector) const;
  /// The beginning of `run` that lies in one band.
  [[nodiscard]] LogicalRun piece(LogicalRun run) const;
  /// Where `run` begins, as far as it stays on one track: at most run.count sectors.
  [[nodiscard]] PhysicalRun place(LogicalRun run) const { return layout_.piece(run).run; }

  /// The end of what was ever written in the band, in the log or in place.
  [[nodiscard]] LogicalSector used_end(const Band& band) const { return band.first + used_.read(band.number); }
  void use(const Band& band, LogicalSector end);
  /// After a power cut nobody knows: to assume that all of each band was is safe.
  void use_all();
  void prefill(std::uint64_t sectors);

  /// Reads or writes `run`, in one band, track after track; whole tracks from whatever sector comes first.
  [[nodiscard]] Task<Status> transfer(MediaOp op, LogicalRun run, DataSpan data, MediaClass priority, LostSectors lost);

  /// Without what is cached of them, and without a charge.
  [[nodiscard]] BandLevels levels() const;

  [[nodiscard]] Bytes bytes() const { return Bytes(used_.size() * sizeof(std::uint32_t)); }

 private:
  MediaPort& media_;
  BandTrackLayout layout_;
  std::uint64_t user_sectors_;
  std::uint32_t most_sectors_;
  DramArray<std::uint32_t> used_;
};

}  // namespace tessera::media_cache
