#pragma once
// Recording formats and regions: the values by which a translation layer states what it needs of the platters,
// the platform checks it, and the media enforces it.
#include <cstdint>
#include <string>
#include <vector>

namespace tessera {

/// How the tracks of a region overlap.
enum class RecordingFormat : std::uint32_t {
  conventional,  ///< no overlap
  shingled,      ///< a write to track t destroys t+d ... t+d*(W-1), d the region's direction
  interlaced,    ///< bottom tracks (even offset in the region) under top tracks; writing a bottom destroys both tops
  wave           ///< shingled bands of alternating direction that meet face to face over a shared guard
};

/// Tracks [first, first + count) in linear track order of the geometry (see media/geometry.hpp), all of one format.
/// Overlap never reaches across a surface or out of the region. On drives with several surfaces a region's tracks are
/// linear tracks of one surface range; neighbours are always radius +-1 on the same surface.
struct Region {
  std::string name;         ///< "data", "backup", "journal", ...: for messages and reports
  std::uint64_t first = 0;  ///< first radius of the region
  std::uint64_t count = 0;  ///< number of radii; the region spans all surfaces
  RecordingFormat format = RecordingFormat::conventional;
  std::uint32_t head_width = 2;    ///< W in tracks; shingled and wave only
  std::int32_t direction = 1;      ///< +1 or -1: shingled only; wave alternates, starting with +1
  std::uint32_t band_tracks = 0;   ///< tracks a band, guards excluded; shingled and wave only
  std::uint32_t guard_tracks = 0;  ///< guard tracks behind a band (wave: shared by the two bands that face each other)
  double top_ratio = 1.0;          ///< sectors of a top track / sectors of a bottom track; interlaced only
  bool skewed = true;              ///< false: track starts align in angle, as angular isolation needs
  bool staggered = false;          ///< of aligned tracks: the layer's numbers begin each one where the head comes from the one before
  bool equal_tracks = false;       ///< each track counts with the sectors of the region's shortest
};

/// A layer's plan for a drive: regions in ascending order that do not overlap; tracks outside them are unused.
using FormatPlan = std::vector<Region>;

}  // namespace tessera
