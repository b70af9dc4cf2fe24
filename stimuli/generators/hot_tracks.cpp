#include "stimuli/generators/hot_tracks.hpp"

#include <cmath>
#include <utility>

namespace tessera {

HotTrackAddresses::HotTrackAddresses(const HotTracksConfig& config, Bytes first, Bytes range, Bytes alignment, Footprint cold,
                                     RandomStream random, RandomStream places_random)
    : config_(config),
      first_(first),
      alignment_(alignment),
      cold_(std::move(cold)),
      slots_per_track_(config.track / alignment),
      moved_at_once_(static_cast<std::uint64_t>(std::llround(config.drift_share * static_cast<double>(runs(config))))),
      ranks_(config.tracks, config.exponent),
      places_random_(places_random),
      places_(range / config.track / pitch(config), places_random_),
      random_(random) {
  TESSERA_CHECK(places_.size() >= runs(config), "the hot tracks do not fit the range");
  for (std::uint64_t run = 0; run < runs(config); ++run) runs_.push_back(first_track_at(places_(run)));
  next_place_ = runs_.size() % places_.size();
}

Bytes HotTrackAddresses::next(bool write, Bytes) {
  if (write) count_write();
  const double u = random_.unit();
  if (u >= config_.share + config_.neighbour_share) return cold_.address(random_.below(cold_.slots()));
  const std::uint64_t rank = ranks_(random_) - 1;
  const std::uint64_t run = runs_[rank / config_.run_length];
  const std::uint64_t offset = rank % config_.run_length;
  const std::uint64_t track = u < config_.share ? run + offset : track_beside(run, offset);
  return first_ + config_.track * track + alignment_ * random_.below(slots_per_track_);
}

/// The hot runs are always a window of the permutation, which moves on by a few places: no two of them can meet.
void HotTrackAddresses::count_write() {
  if (writes_++ % config_.drift_writes != 0 || writes_ == 1) return;
  for (std::uint64_t i = 0; i < moved_at_once_; ++i) {
    runs_[oldest_] = first_track_at(places_(next_place_));
    oldest_ = (oldest_ + 1) % runs_.size();
    next_place_ = (next_place_ + 1) % places_.size();
  }
}

std::uint64_t HotTrackAddresses::first_track_at(std::uint64_t place) { return place * pitch(config_) + places_random_.below(2); }

std::uint64_t HotTrackAddresses::track_beside(std::uint64_t run, std::uint64_t offset) const {
  const bool before = run > 0 && offset * 2 < config_.run_length;  // the nearer end of the run
  return before ? run - 1 : run + config_.run_length;
}

}  // namespace tessera
