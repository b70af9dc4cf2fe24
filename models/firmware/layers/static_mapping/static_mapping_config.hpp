#pragma once
// The parameters of the static mappings.
#include <cstdint>
#include <string>

#include "base/parameter.hpp"
#include "firmware/backup/backup_region.hpp"
#include "firmware/layers/static_mapping/static_mapping_scheme.hpp"
#include "firmware/translation_layer.hpp"

namespace tessera::static_mapping {

inline constexpr std::uint32_t most_head_width = 5;

struct StaticMappingConfig {
  Scheme scheme = Scheme::s1234;  ///< not a parameter, but which of the four layers it is
  // Section 3.1: N = 4 and W = 2 balance space gain and write amplification; a random access zone of k = 100 tracks.
  std::uint32_t band_tracks = 4;
  std::uint32_t head_width = 2;
  std::uint32_t raz_tracks = 100;
  std::uint32_t backup_slots = 4;  // in no paper: see InterlacedConfig
  std::uint32_t journal_tracks = 0;
  bool paper = false;
  bool crash_safe = true;

  /// Whether the tracks behind an update are saved first, and which tracks hold data is kept.
  [[nodiscard]] bool safe() const { return crash_safe && !paper; }

  /// Slots for the tracks behind the first one of a band.
  [[nodiscard]] BackupRegion::Shape backup_shape(const DriveGeometry& geometry) const;

  void describe(ParameterVisitor& visitor);
};

/// The regions of the layer on a drive, or a sentence why it cannot have them:
///
///     outer                                                            inner
///     | log | journal | backup | unused | band 0 | g | band 1 | g | ... |
///     `---- random access zone: k ------'
///
/// Every second track of the random access zone is used (section 3.1). Here that is its outer half: no write overlaps another
/// either way. "log": the superblock of Allocation; "journal": for a write cache, if it asks for one.
[[nodiscard]] FormatPlan plan_static(const StaticMappingConfig& config, const DriveGeometry& geometry, std::string& problem);

}  // namespace tessera::static_mapping
