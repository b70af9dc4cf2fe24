#pragma once
// The way from logical to physical sectors in bands of N shingled tracks, track by track in a fixed order. Nothing is stored: a
// place is computed.
//
// In a staggered region the numbers of a track begin where the head lands when it comes from the track before it, and a pass goes over
// the same track of the bands on all surfaces before the next one of each, as in InterlacedLayout.
#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/fixed_divisor.hpp"
#include "base/format.hpp"
#include "base/geometry.hpp"
#include "firmware/ports/media_port.hpp"

namespace tessera {

/// Where the tracks of bands begin. Staggered ones align, and their numbers make up for the way of the head.
enum class TrackStarts : std::uint8_t { skewed, aligned, staggered };

/// Bands of `band_tracks` tracks on the radii from `first_radius` on, inwards; `head_width` - 1 guard tracks follow each. A shingled
/// region "data" for each zone that has room for a band; its tracks begin as the layer needs it.
[[nodiscard]] FormatPlan plan_band_tracks(const DriveGeometry& geometry, std::uint64_t first_radius, std::uint32_t band_tracks,
                                          std::uint32_t head_width, TrackStarts starts);

/// Positions (from 0) of the tracks that are used in each band before the next band's: a pass over all bands.
using BandPass = std::vector<std::uint32_t>;

/// Whether a pass uses a band whole before that of the next surface, or the same track of the bands on all surfaces before the next one
/// of each, as a head switch takes less time than a seek.
enum class SurfaceOrder : std::uint8_t { one_by_one, in_turn };

/// One pass, track after track.
[[nodiscard]] std::vector<BandPass> tracks_in_order(std::uint32_t band_tracks);

class BandTrackLayout {
 public:
  /// `regions`: those of plan_band_tracks(). `passes`, in order, use each track of a band once. In each region every track
  /// counts with the sectors of its shortest; only slipped defects make a difference. `spares` of a region's
  /// bands, fewer than it has, hold no logical sectors: the last ones. In staggered regions, which have none, surfaces are used in turn
  /// whatever `order` says.
  BandTrackLayout(const DriveGeometry& geometry, const FormatPlan& regions, const MediaPort& media, std::vector<BandPass> passes,
                  std::uint64_t (*spares)(std::uint64_t bands) = nullptr, SurfaceOrder order = SurfaceOrder::one_by_one);
  BandTrackLayout(const BandTrackLayout&) = delete;
  BandTrackLayout& operator=(const BandTrackLayout&) = delete;

  [[nodiscard]] std::uint64_t sectors() const { return segments_.back().end; }
  /// Data tracks, in logical order from 0.
  [[nodiscard]] std::uint64_t tracks() const { return bands_ * band_tracks_; }
  [[nodiscard]] std::uint64_t bands() const { return bands_; }
  [[nodiscard]] std::uint32_t band_tracks() const { return band_tracks_; }
  /// Whether any track's numbers begin elsewhere than at its sector 0.
  [[nodiscard]] bool staggered() const {
    return std::any_of(extents_.begin(), extents_.end(), [](const Extent& extent) { return extent.staggered; });
  }

  struct Piece {
    PhysicalRun run;
    std::uint64_t track;     ///< logical
    std::uint64_t band;      ///< from the outer diameter inwards, the surfaces of one place in turn
    std::uint32_t position;  ///< of its track in the band, from 0
    std::uint32_t track_sectors;
    std::uint32_t before;  ///< sectors of the track with smaller numbers
  };
  /// Where `run` begins, as far as it stays on one track: at most run.count sectors. The run must lie inside the layout. In a staggered
  /// region the piece may wrap.
  [[nodiscard]] Piece piece(LogicalRun run) const;
  /// All of a logical track.
  [[nodiscard]] Piece whole(std::uint64_t track) const;
  /// The logical track at `position` of `band`.
  [[nodiscard]] std::uint64_t track_at(std::uint64_t band, std::uint32_t position) const;

  // For bands that do not stay where they are computed to lie. A place is one of a band's region, its spares included: from 0.
  [[nodiscard]] std::size_t regions() const { return extents_.size(); }
  [[nodiscard]] std::size_t region_of(std::uint64_t band) const;
  [[nodiscard]] std::uint64_t places_in(std::size_t region) const { return extents_[region].places; }
  [[nodiscard]] std::uint64_t bands_in(std::size_t region) const { return extents_[region].bands; }
  [[nodiscard]] std::uint64_t first_band_in(std::size_t region) const { return extents_[region].first_band; }
  [[nodiscard]] PhysicalTrack track_of(std::size_t region, std::uint64_t place, std::uint32_t position) const;

 private:
  struct Extent {
    std::uint64_t first_band;
    std::uint64_t bands;   ///< logical
    std::uint64_t places;  ///< for them, and for the spares
    std::uint32_t first_radius;
    std::uint32_t stride;  ///< radii of a band and its guards
    std::uint32_t track_sectors;
    bool staggered;
    bool in_turn;  ///< the surfaces
  };
  /// From where one track's numbers begin to where another's do (firmware/layout/stagger.hpp).
  struct Stagger {
    std::uint32_t surface = 0;           ///< from a track to that at the same radius of the next surface
    std::uint32_t stride = 0;            ///< from a band to that on its surface at the next radii
    std::vector<std::uint32_t> in_pass;  ///< from the pass's first track of a band to each
  };
  /// A track of a pass: its band in the extent, and its place in the pass.
  struct InPass {
    std::uint64_t band;
    std::uint64_t place;
  };
  /// One pass over the bands of one extent.
  struct Segment {
    std::uint64_t first;  ///< logical sector
    std::uint64_t end;
    std::uint64_t first_track;  ///< logical
    const Extent* extent;
    const BandPass* pass;
    FixedDivisor track_sectors;
    FixedDivisor pass_tracks;  ///< of one band, or of those of all surfaces, used in turn
    Stagger stagger;
  };
  [[nodiscard]] Stagger stagger_of(const Extent& extent, const BandPass& pass, const TrackSwitches& switches) const;
  [[nodiscard]] InPass in_pass_of(const Segment& segment, std::uint64_t track) const;
  [[nodiscard]] std::uint64_t track_of(const Segment& segment, const InPass& at) const;
  [[nodiscard]] std::uint32_t begins(const Segment& segment, const InPass& at) const;
  [[nodiscard]] const Segment& segment_of(LogicalSector sector) const;
  [[nodiscard]] const Extent& extent_of(std::uint64_t band) const;

  const MediaPort& media_;
  std::vector<Extent> extents_;
  std::vector<BandPass> passes_;
  std::vector<Segment> segments_;  // pass after pass, the extents of a pass in order
  FixedDivisor surfaces_;
  std::uint32_t band_tracks_ = 0;
  std::uint64_t bands_ = 0;
};

}  // namespace tessera
