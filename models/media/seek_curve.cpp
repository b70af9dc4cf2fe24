#include "media/seek_curve.hpp"

#include <algorithm>
#include <cmath>

#include "base/check.hpp"

namespace tessera {

std::vector<SeekPoint> seek_points(const std::vector<NumberRow>& rows) {
  constexpr double ps_per_ms = 1e9;
  std::vector<SeekPoint> points;
  points.reserve(rows.size());
  for (const NumberRow& row : rows)
    points.push_back({static_cast<std::uint32_t>(row[0]), Picoseconds(static_cast<std::uint64_t>(std::llround(row[1] * ps_per_ms)))});
  return points;
}

SeekCurve::SeekCurve(std::vector<Picoseconds> time) : time_(std::move(time)) {
  TESSERA_CHECK(!time_.empty(), "a seek curve without tracks");
  if (std::is_sorted(time_.begin(), time_.end())) return;
  least_ = time_;
  for (std::size_t d = least_.size() - 1; d-- > 0;) least_[d] = std::min(least_[d], least_[d + 1]);
}

SeekCurve SeekCurve::from_points(const std::vector<SeekPoint>& points, std::uint32_t radii) {
  TESSERA_CHECK(!points.empty(), "a seek curve without points");
  std::vector<Picoseconds> time(radii);
  std::size_t right = 0;  // first point at or beyond the distance
  for (std::uint32_t d = 1; d < radii; ++d) {
    while (right < points.size() && points[right].distance < d) ++right;
    if (right == 0 || points.size() == 1) {
      time[d] = points.front().time;
      continue;
    }
    const SeekPoint& b = points[std::min(right, points.size() - 1)];
    const SeekPoint& a = points[std::min(right, points.size() - 1) - 1];
    const bool rises = b.time >= a.time;
    const Picoseconds change(scale_rounded(d - a.distance, (rises ? b.time - a.time : a.time - b.time).value(), b.distance - a.distance));
    time[d] = rises ? a.time + change : a.time - change;
  }
  return SeekCurve(std::move(time));
}

SeekCurve SeekCurve::from_formula(Picoseconds t_min, Picoseconds full_stroke, std::uint32_t radii, std::uint32_t beyond) {
  TESSERA_CHECK(full_stroke >= t_min, "a full stroke shorter than the shortest seek");
  std::vector<Picoseconds> time(radii + beyond);
  for (std::uint32_t d = 1; d < radii + beyond; ++d) time[d] = formula(t_min, full_stroke, radii, d);
  return SeekCurve(std::move(time));
}

Picoseconds SeekCurve::formula(Picoseconds t_min, Picoseconds full_stroke, std::uint32_t radii, std::uint32_t distance) {
  const auto span = static_cast<long double>((full_stroke - t_min).value());
  const auto stroke = static_cast<long double>(radii > 1 ? radii - 1 : 1);
  return t_min + Picoseconds(static_cast<std::uint64_t>(std::llround(span * std::sqrt(static_cast<long double>(distance) / stroke))));
}

SeekCurve SeekCurve::of(const MediaConfig& config, std::uint32_t radii, std::uint32_t beyond) {
  if (config.seek_curve.empty()) return from_formula(config.seek_min, config.seek_full_stroke, radii, beyond);
  return from_points(seek_points(config.seek_curve), radii + beyond);
}

}  // namespace tessera
