#pragma once
// Which tracks of interlaced regions are bottoms, which are tops, and what a write of a bottom destroys.
#include <optional>

#include "base/format.hpp"
#include "base/geometry.hpp"
#include "firmware/backup/backup_record.hpp"
#include "firmware/locks/range_locks.hpp"
#include "firmware/ports/media_port.hpp"

namespace tessera {

class InterlacedTracks {
 public:
  /// `regions`: the interlaced ones. Tracks elsewhere are never bottoms and have no neighbours.
  InterlacedTracks(const MediaPort& media, const DriveGeometry& geometry, FormatPlan regions);

  [[nodiscard]] bool is_bottom(PhysicalTrack track) const;
  [[nodiscard]] bool is_top(PhysicalTrack track) const { return region_of(track) != nullptr && !is_bottom(track); }
  /// T-1 and T+1, where they exist.
  [[nodiscard]] std::optional<PhysicalTrack> in_front(PhysicalTrack track) const;
  [[nodiscard]] std::optional<PhysicalTrack> behind(PhysicalTrack track) const;
  /// The runs on T-1 and T+1 that a write of `run` on a bottom T destroys, as far as these tracks exist.
  [[nodiscard]] Neighbours neighbours_of(const PhysicalRun& run) const;

  [[nodiscard]] std::uint32_t length(PhysicalTrack track) const { return media_.sectors_on(track); }
  [[nodiscard]] PhysicalRun whole(PhysicalTrack track) const { return {track, 0, length(track)}; }
  [[nodiscard]] AngularBox box(const PhysicalRun& run) const { return AngularBox::of(run, length(run.track), spares_); }
  /// All that a write of `run` writes or destroys.
  [[nodiscard]] AngularBox reach(const PhysicalRun& run) const;

  /// Tracks of the whole drive are numbered by radius, then surface.
  [[nodiscard]] std::uint64_t count() const { return count_; }
  [[nodiscard]] std::uint64_t number(PhysicalTrack track) const { return std::uint64_t{track.radius} * surfaces_ + track.surface; }
  [[nodiscard]] PhysicalTrack track(std::uint64_t number) const {
    return {static_cast<std::uint32_t>(number % surfaces_), static_cast<std::uint32_t>(number / surfaces_)};
  }
  /// Bottom tracks have numbers of their own, without gaps.
  [[nodiscard]] std::uint64_t bottoms() const;
  [[nodiscard]] std::uint64_t bottom_number(PhysicalTrack bottom) const;

 private:
  [[nodiscard]] const Region* region_of(PhysicalTrack track) const;

  const MediaPort& media_;
  std::uint32_t surfaces_;
  std::uint32_t spares_;  // DriveGeometry::track_spares
  std::uint64_t count_;
  FormatPlan regions_;
};

}  // namespace tessera
