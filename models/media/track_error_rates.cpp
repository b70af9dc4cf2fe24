#include "media/track_error_rates.hpp"

#include <algorithm>
#include <cmath>

namespace tessera {

namespace {

constexpr std::uint64_t per_million = 1'000;  // of a thousand million

bool whole(double value, double most) { return value >= 0 && value <= most && value == std::floor(value); }

}  // namespace

TrackErrorRates::TrackErrorRates(const MediaConfig& config, const TrackGeometry& geometry)
    : elsewhere_(config.transient_errors_per_million * per_million), any_(elsewhere_ != 0) {
  if (config.track_error_rates.empty()) return;
  bands_.resize(geometry.surfaces());
  for (const NumberRow& row : config.track_error_rates) {
    const std::uint64_t rate = static_cast<std::uint64_t>(row[2]) * per_million;
    bands_[static_cast<std::size_t>(row[0])].push_back({static_cast<std::uint32_t>(row[1]), rate});
    any_ = any_ || rate != 0;
  }
}

std::uint64_t TrackErrorRates::of_band(std::uint64_t track) const {
  const std::uint64_t radius = track / bands_.size();
  for (const Band& band : bands_[track % bands_.size()])
    if (radius <= band.last_radius) return band.rate;
  return elsewhere_;
}

bool errors_by_track(const MediaConfig& config) { return !config.track_error_rates.empty() || config.interference_errors_per_million != 0; }

void check_track_error_rates(const MediaConfig& config, std::vector<std::string>& problems) {
  std::vector<double> last(config.surfaces, -1);
  for (std::size_t row = 0; row < config.track_error_rates.size(); ++row) {
    const NumberRow& values = config.track_error_rates[row];
    const std::string where = "track_error_rates: row " + std::to_string(row + 1);
    if (values.size() != 3 || !whole(values[1], 4294967295.0) || !whole(values[2], 1e6)) {
      problems.push_back(where + " is not a surface, a last radius and a whole number of errors per million, 1000000 at most");
      return;
    }
    if (!whole(values[0], config.surfaces - 1.0)) {
      problems.push_back(where + " names a surface that the drive does not have; expected 0 to " + std::to_string(config.surfaces - 1));
      return;
    }
    double& before = last[static_cast<std::size_t>(values[0])];
    if (values[1] <= before) problems.push_back(where + " does not end beyond the row of its surface before it");
    before = values[1];
  }
}

}  // namespace tessera
