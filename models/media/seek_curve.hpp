#pragma once
// Arm movement times by distance, tabulated once.
#include <cstdint>
#include <vector>

#include "base/check.hpp"
#include "base/units.hpp"
#include "media/media_config.hpp"

namespace tessera {

/// One measured point of a seek curve.
struct SeekPoint {
  std::uint32_t distance = 0;  ///< in radii, at least 1
  Picoseconds time;
};

/// Rows of a whole distance and a time in ms, as descriptions have them.
[[nodiscard]] std::vector<SeekPoint> seek_points(const std::vector<NumberRow>& rows);

class SeekCurve {
 public:
  /// Linear between the points, the last slope beyond the last, the first point's time below the first; each entry is
  /// rounded to a picosecond. Points ascend in distance; at least one is needed.
  static SeekCurve from_points(const std::vector<SeekPoint>& points, std::uint32_t radii);
  /// t_min + a*sqrt(d) with a = (full_stroke - t_min) / sqrt(radii - 1) (interlaced paper, eq. 1), also for the distances to `beyond`
  /// radii more.
  static SeekCurve from_formula(Picoseconds t_min, Picoseconds full_stroke, std::uint32_t radii, std::uint32_t beyond = 0);
  /// One time of from_formula().
  [[nodiscard]] static Picoseconds formula(Picoseconds t_min, Picoseconds full_stroke, std::uint32_t radii, std::uint32_t distance);
  /// The curve that a valid description states, for `radii` and the spare radii `beyond` them.
  static SeekCurve of(const MediaConfig& config, std::uint32_t radii, std::uint32_t beyond = 0);

  /// Time to move over `distance` radii, below distances(); 0 for no distance.
  [[nodiscard]] Picoseconds time(std::uint32_t distance) const {
    TESSERA_CHECK(distance < time_.size(), "a seek over more tracks than the curve knows");
    return time_[distance];
  }
  /// The shortest time of any move of at least `distance` radii: measured curves are not monotone. Past the full stroke
  /// it is that of the full stroke.
  [[nodiscard]] Picoseconds least(std::uint32_t distance) const {
    const std::vector<Picoseconds>& bounds = least_.empty() ? time_ : least_;
    return distance < bounds.size() ? bounds[distance] : bounds.back();
  }
  [[nodiscard]] std::uint32_t distances() const { return static_cast<std::uint32_t>(time_.size()); }

 private:
  explicit SeekCurve(std::vector<Picoseconds> time);

  std::vector<Picoseconds> time_;   // index = distance, as far as any head of the drive moves
  std::vector<Picoseconds> least_;  // empty where the curve itself never falls
};

}  // namespace tessera
