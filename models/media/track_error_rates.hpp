#pragma once
// How often reads of a track fail for a while: what its head and its radius make of it.
#include <cstdint>
#include <string>
#include <vector>

#include "media/media_config.hpp"
#include "media/track_geometry.hpp"

namespace tessera {

class TrackErrorRates {
 public:
  TrackErrorRates(const MediaConfig& config, const TrackGeometry& geometry);

  /// Whether any track has a rate above 0.
  [[nodiscard]] bool any() const { return any_; }
  /// Transient errors per thousand million sectors read of the track with this linear number.
  [[nodiscard]] std::uint64_t of(std::uint64_t track) const {
    if (bands_.empty()) [[likely]]
      return elsewhere_;
    return of_band(track);
  }

 private:
  struct Band {
    std::uint32_t last_radius;
    std::uint64_t rate;
  };
  [[nodiscard]] std::uint64_t of_band(std::uint64_t track) const;

  std::uint64_t elsewhere_;
  std::vector<std::vector<Band>> bands_;  // by surface, from outside in; empty: none has any
  bool any_;
};

/// Whether transient errors depend on where a track is, or on what was written next to it.
[[nodiscard]] bool errors_by_track(const MediaConfig& config);

/// Adds what is wrong with `track_error_rates`.
void check_track_error_rates(const MediaConfig& config, std::vector<std::string>& problems);

}  // namespace tessera
