#pragma once
// What every layer with a flash cache over shingled bands lets one choose of its bands. Defaults are those of the MU-RMW paper
// (Ma et al., section IV-A); what it leaves open is marked.
#include <cstdint>
#include <string>

#include "base/format.hpp"
#include "base/geometry.hpp"
#include "base/parameter.hpp"
#include "base/units.hpp"
#include "firmware/flash/page_order.hpp"
#include "firmware/flash/tag_checkpoint.hpp"

namespace tessera {

struct BandCacheConfig {
  std::uint32_t band_sectors = 10240;  // P: 40 MiB of 4 KiB sectors
  std::uint32_t head_width = 3;        // "the write-head width is three times as large as the read-head width"
  std::uint64_t bands = 0;             // U: the paper has 256
  std::uint32_t spare_bands = 1;       // ours: where a merge is written before the band it replaces is given up
  bool paper = false;
  bool crash_safe = true;
  Bytes merge_buffer{0};
  std::uint32_t log_radii = 4;  // ours
  TagCheckpointConfig checkpoint;
  PairedPages paired_pages = PairedPages::lower_only;

  /// Bands are rewritten where they lie, as in the paper: a power cut in the middle of it loses the band.
  [[nodiscard]] bool in_place() const { return paper || !crash_safe; }
  [[nodiscard]] PairedPages paired() const { return paper ? PairedPages::unsafe : paired_pages; }
  /// Of a layer that may lose what it acknowledged nothing is dumped.
  [[nodiscard]] TagCheckpointConfig tags() const {
    TagCheckpointConfig config = checkpoint;
    config.dump_tags = config.dump_tags && !in_place();
    return config;
  }
  [[nodiscard]] bool knows_lost_pages() const { return tags().dump_tags && checkpoint.region.value() != 0; }
  [[nodiscard]] std::uint32_t spares() const { return in_place() ? 0 : spare_bands; }
  [[nodiscard]] std::uint32_t guard_tracks() const { return head_width - 1; }
  /// Sectors of one round of a merge.
  [[nodiscard]] std::uint32_t round_sectors(std::uint32_t sector_bytes) const;

  /// Parameters of the bands, and of merging.
  void describe_bands(ParameterVisitor& v);
  void describe_merging(ParameterVisitor& v);
};

/// Shingled bands, spares included, around the merge log, checkpoints and `map_sectors` sectors for a paged map; empty, with a
/// sentence in `problem`, where that does not fit.
[[nodiscard]] FormatPlan plan_cached_bands(const BandCacheConfig& config, const DriveGeometry& geometry, std::uint64_t map_sectors,
                                           std::string& problem);

}  // namespace tessera
