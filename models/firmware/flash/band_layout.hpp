#pragma once
// Shingled bands of a fixed number of sectors on whatever tracks the drive has, around a conventional log region.
#include <cstdint>
#include <string>
#include <vector>

#include "base/address.hpp"
#include "base/fixed_divisor.hpp"
#include "base/format.hpp"
#include "base/geometry.hpp"
#include "firmware/layout/slip_table.hpp"
#include "firmware/ports/media_port.hpp"

namespace tessera {

/// What a layer with equal bands wants of the platters.
struct BandRequest {
  std::uint32_t band_sectors = 0;
  std::uint32_t head_width = 2;        ///< W; W-1 guard tracks follow each band
  std::uint64_t bands = 0;             ///< user bands; 0: all that fit
  std::uint32_t spares = 0;            ///< bands beside those
  std::uint32_t log_radii = 0;         ///< conventional radii in the middle of the bands; 0: none
  std::uint32_t map_radii = 0;         ///< behind those, for a paged map
  std::uint32_t checkpoint_radii = 0;  ///< and for checkpoints of flash pages' tags
  std::uint32_t more_guard = 0;        ///< guard tracks beyond W-1

  [[nodiscard]] std::uint32_t guard_tracks() const { return head_width - 1 + more_guard; }
};

/// Shingled regions, one or two a zone, and the regions "log", "map" and "checkpoint" near their middle. Empty, with a sentence in
/// `problem`, where the request does not fit.
[[nodiscard]] FormatPlan plan_bands(const DriveGeometry& geometry, const BandRequest& request, std::string& problem);

/// Bands of such a plan, spares and bands that defects make too short included.
[[nodiscard]] std::uint64_t bands_in(const FormatPlan& plan, const DriveGeometry& geometry);

/// What the log of such a plan has to hold.
struct LogNeed {
  const char* log;            ///< "the merge log", say
  const char* bands;          ///< what the layer calls bands, in the plural
  std::uint64_t sectors = 0;  ///< at the least
};
/// A sentence where region "log" has less room than that, or nothing.
[[nodiscard]] std::string log_problem(const FormatPlan& plan, const DriveGeometry& geometry, const LogNeed& need);

/// Physical bands of such a plan, numbered from the outer diameter inwards, the surfaces of one place in turn. A band whose
/// tracks are shorter than nominal (slipped defects) uses the slack of its last track; one that is too short is left out.
class BandLayout {
 public:
  BandLayout(const DriveGeometry& geometry, const FormatPlan& plan, std::uint32_t band_sectors, const MediaPort& media);

  [[nodiscard]] std::uint64_t bands() const { return places_ - left_out_.size(); }
  [[nodiscard]] std::uint32_t band_sectors() const { return band_sectors_; }

  /// The part of one track that holds sector `offset` of a band and up to `count - 1` that follow it.
  [[nodiscard]] PhysicalRun locate(std::uint64_t band, std::uint32_t offset, std::uint32_t count) const;

 private:
  struct Extent {
    std::uint64_t first_place;  ///< a place is where a band is planned, usable or not
    std::uint32_t first_radius;
    std::uint32_t stride;  ///< tracks of a band and its guards
    FixedDivisor sectors_per_track;
  };
  struct ShortBand {
    std::uint64_t place;
    SlipTable slips;
  };
  void inspect(const Extent& extent, std::uint64_t place, std::uint32_t tracks, const MediaPort& media);
  [[nodiscard]] std::uint64_t place_of(std::uint64_t band) const;
  [[nodiscard]] PhysicalTrack first_track(const Extent& extent, std::uint64_t place) const;

  std::vector<Extent> extents_;
  std::vector<ShortBand> short_bands_;   // in ascending order of place
  std::vector<std::uint64_t> left_out_;  // places, ascending
  std::uint64_t places_ = 0;
  FixedDivisor surfaces_;
  std::uint32_t band_sectors_;
};

}  // namespace tessera
