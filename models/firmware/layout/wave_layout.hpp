#pragma once
// Wave-like shingled regions cut into segments (Wan et al., sections II-B and II-C). A region is T tracks; a segment is one block on
// each of them, all at the same angles, so that rewriting it touches no other segment.
//
//   region 0 (writes go inwards)   guard of kappa tracks   region 1 (outwards)   region 2 (inwards) ...
//   block 0, 1, ... T-1          | . . . . . . . . . . . | T-1, ... 1, 0       | 0, 1, ... T-1 | guard ...
//
// Block 0 is always the first to be written and block T-1 the last, next to the guard that two regions share face to face.
// Equation 5 of the paper leaves guards and direction out; it is the variant `paper_linear`, on conventional tracks, which is the
// disk on which the paper emulated its layout. It counts sectors along one surface, so its tracks (S_T) need not be the medium's: the
// paper's S_T of 8,192 sectors lies on a disk whose own tracks hold about a quarter of that.
#include <cstdint>
#include <string>
#include <vector>

#include "base/fixed_divisor.hpp"
#include "base/format.hpp"
#include "base/geometry.hpp"
#include "firmware/ports/media_port.hpp"

namespace tessera {

enum class WaveVariant : std::uint32_t { physical, paper_linear };

struct WaveShape {
  std::uint32_t region_tracks = 20;  ///< T
  std::uint32_t overlap = 8;         ///< kappa: tracks under the head, and of a guard
  std::uint32_t block_sectors = 64;
  WaveVariant variant = WaveVariant::physical;
  std::uint32_t track_sectors = 0;  ///< S_T of `paper_linear`, a multiple of block_sectors; 0: the medium's tracks
};

/// Regions "data", one a zone of the geometry. Empty, with a sentence in `problem`, where not one region fits.
[[nodiscard]] FormatPlan plan_wave(const DriveGeometry& geometry, const WaveShape& shape, std::string& problem);

/// Segments are numbered along a region and then region by region, the surfaces of one place in turn. A region with a track
/// shorter than nominal (slipped defects) is left out: its blocks would not lie at the same angles.
class WaveLayout {
 public:
  WaveLayout(const DriveGeometry& geometry, const FormatPlan& plan, const WaveShape& shape, const MediaPort& media);

  [[nodiscard]] std::uint64_t segments() const { return segments_; }
  /// Where sectors [first, first + count) of block `index` of a segment lie.
  [[nodiscard]] PhysicalRun locate(std::uint64_t segment, std::uint32_t index, std::uint32_t first, std::uint32_t count) const;

  /// Tracks that hold data over tracks used, without what zones and surfaces leave over: T / (T + kappa/2).
  [[nodiscard]] static constexpr double utilisation(double region_tracks, double overlap) {
    return region_tracks / (region_tracks + overlap / 2);
  }
  /// Disk utilisation over that of a disk of S-blocks with regions, guards and internal guards of the same size and a share of
  /// `spare` spare segments: 2 (S_reg + 2 kappa) / ((2 S_reg + kappa) (1 - beta)) (section III-B).
  [[nodiscard]] static constexpr double h_s_ratio(double region_tracks, double overlap, double spare) {
    return 2 * (region_tracks + 2 * overlap) / ((2 * region_tracks + overlap) * (1 - spare));
  }

 private:
  struct Extent {
    std::uint64_t first_segment;
    std::uint32_t first_radius;
    FixedDivisor segments_per_region;
    FixedDivisor blocks_per_track;
    std::vector<std::uint64_t> skips;  ///< number of the i-th region left out, less i; ascending
  };
  /// Where a block lies along the radius: the track from the extent's first one on, and the block on it.
  struct Spot {
    std::uint32_t radius;
    std::uint32_t along;
  };
  [[nodiscard]] Spot spot_of(const Extent& extent, std::uint64_t place, std::uint32_t index, std::uint64_t along) const;
  [[nodiscard]] bool is_whole(const Extent& extent, const MediaPort& media, std::uint64_t region, std::uint32_t nominal) const;

  WaveShape shape_;
  FixedDivisor surfaces_;
  std::vector<Extent> extents_;
  std::uint64_t segments_ = 0;
};

}  // namespace tessera
