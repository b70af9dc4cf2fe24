#pragma once
// What the factory's sparing makes of a description: tracks that hold fewer sectors, sectors that lie elsewhere, and what is kept back for
// them.
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/geometry.hpp"
#include "media/media_config.hpp"

namespace tessera {

/// A track that was slipped over, in part or as a whole.
struct ShortTrack {
  std::uint32_t bad = 0;         ///< sectors that the head passes and that hold nothing
  std::uint32_t own_spares = 0;  ///< of MediaConfig::track_spares, that stand in for them
};

/// Counts with the tracks of conventional recording. Zones are those of zones_of().
class Sparing {
 public:
  /// Of a description that has zones, arms and an order of tracks without problems.
  explicit Sparing(const MediaConfig& config);

  /// Whether any track differs from its zone.
  [[nodiscard]] bool any() const { return !short_.empty() || cylinder_spares_ != 0; }
  /// By (radius, surface).
  [[nodiscard]] const std::map<std::pair<std::uint32_t, std::uint32_t>, ShortTrack>& short_tracks() const { return short_; }
  /// Sectors at the end of a track that are spares of its range of cylinders.
  [[nodiscard]] std::uint32_t range_spares(PhysicalTrack track) const;
  /// Of all ranges together.
  [[nodiscard]] std::uint64_t all_range_spares() const;
  /// Spare sectors of a zone that slipped sectors and tracks have used up.
  [[nodiscard]] std::uint64_t used_of_zone(std::size_t zone) const { return zone_used_[zone]; }
  /// As DriveGeometry::remaps.
  [[nodiscard]] std::vector<RemappedSector> remaps() const;
  /// Whether no layer numbers a sector: spares of tracks and ranges, and those of the zone where `of_zone`.
  [[nodiscard]] bool kept_back(PhysicalSector sector, bool of_zone) const;

  /// What is wrong with the rows of the lists themselves, a sentence each; those that are named have no effect.
  [[nodiscard]] const std::vector<std::string>& problems() const { return problems_; }

 private:
  /// Cylinders of one arm that share spares.
  struct Range {
    std::size_t zone = 0;
    ArmSurfaces arm;
    std::uint32_t end_radius = 0;
    friend bool operator<(const Range& a, const Range& b) {
      return std::pair(a.end_radius, a.arm.first) < std::pair(b.end_radius, b.arm.first);
    }
  };
  [[nodiscard]] std::size_t zone_at(std::uint32_t radius) const;
  [[nodiscard]] const ArmSurfaces& arm_at(std::uint32_t surface) const;
  [[nodiscard]] std::optional<Range> range_of(PhysicalTrack track) const;
  [[nodiscard]] PhysicalTrack track_at(const MediaZone& zone, const ArmSurfaces& arm, std::uint64_t number) const;
  [[nodiscard]] std::uint64_t zone_share(std::size_t zone, const ArmSurfaces& arm) const;
  [[nodiscard]] ShortTrack short_of(PhysicalTrack track) const;
  [[nodiscard]] std::uint32_t nominal(PhysicalTrack track) const;
  [[nodiscard]] std::uint32_t held(PhysicalTrack track) const;
  [[nodiscard]] std::optional<PhysicalSector> from_end(const MediaZone& zone, const ArmSurfaces& arm, std::uint64_t tracks,
                                                       std::uint64_t number) const;
  [[nodiscard]] bool in_zone_spares(PhysicalSector sector) const;
  void slip(PhysicalTrack track);
  void slip_track(PhysicalTrack track);
  [[nodiscard]] std::optional<PhysicalSector> spare_for(PhysicalTrack track);
  void move(PhysicalSector from, PhysicalSector to, const std::string& where);
  void add_remapped(const MediaConfig& config);
  void add_defects(const MediaConfig& config);

  std::vector<MediaZone> zones_;
  std::vector<ArmSurfaces> arms_;
  std::vector<TrackUnits> units_;  // by zone
  std::uint32_t surfaces_;
  std::uint32_t track_spares_;
  std::uint32_t cylinder_spares_;
  std::uint32_t spare_cylinders_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, ShortTrack> short_;
  std::map<Range, std::uint32_t> range_used_;
  std::vector<std::uint64_t> zone_used_;
  std::map<PhysicalSector, PhysicalSector> moved_;
  std::set<PhysicalSector> taken_;
  std::vector<std::string> problems_;
};

/// Sentences about sparing; the geometry must be sound.
void check_sparing(const MediaConfig& config, std::vector<std::string>& problems);

}  // namespace tessera
