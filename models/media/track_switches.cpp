#include "media/track_switches.hpp"

#include <algorithm>
#include <optional>

#include "base/wide.hpp"
#include "media/seek_curve.hpp"

namespace tessera {

namespace {

/// `amount` of `turn`, rounded up, in units of 2^-32.
std::uint64_t part(std::uint64_t amount, std::uint64_t turn) {
  return static_cast<std::uint64_t>((wide_product(amount, std::uint64_t{1} << 32) + Wide(turn - 1)) / turn);
}

/// The longest seek over up to `distance` radii: measured curves are not monotone.
class LongestSeeks {
 public:
  explicit LongestSeeks(const MediaConfig& config, std::uint32_t radii) : config_(config), radii_(radii) {
    if (!config.seek_curve.empty()) curve_.emplace(SeekCurve::of(config, radii));
  }
  Picoseconds up_to(std::uint32_t distance) {
    if (!curve_) return SeekCurve::formula(config_.seek_min, config_.seek_full_stroke, radii_, distance);
    for (; seen_ < distance; ++seen_) longest_ = std::max(longest_, curve_->time(seen_ + 1));
    return longest_;
  }

 private:
  const MediaConfig& config_;
  std::uint32_t radii_;
  std::optional<SeekCurve> curve_;  // none: the formula, which never falls
  std::uint32_t seen_ = 0;
  Picoseconds longest_;
};

}  // namespace

TrackSwitches track_switches(const MediaConfig& config) {
  std::uint64_t head = 0;
  std::uint64_t cylinder = 0;
  std::uint32_t radii = 0;
  for (const MediaZone& zone : zones_of(config)) {
    if (config.surfaces > 1) head = std::max(head, part(zone.track_skew, zone.shape.sectors_per_track + config.track_spares));
    cylinder = std::max(cylinder, part(zone.cylinder_skew, zone.shape.sectors_per_track + config.track_spares));
    radii += zone.shape.radii;
  }
  TrackSwitches switches;
  if (cylinder == 0 || radii < 2) return switches;
  switches.head = static_cast<std::uint32_t>(head);
  const std::uint64_t turn = revolution(config.speed).value();
  LongestSeeks seeks(config, radii);
  const Picoseconds shortest = seeks.up_to(1);
  for (std::size_t i = 0; i < TrackSwitches::distances; ++i) {
    const auto distance = static_cast<std::uint32_t>(std::min<std::uint64_t>(std::uint64_t{1} << i, radii - 1));
    switches.over[i] = static_cast<std::uint32_t>(std::max(head, cylinder + part((seeks.up_to(distance) - shortest).value(), turn)));
  }
  return switches;
}

}  // namespace tessera
