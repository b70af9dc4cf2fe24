#pragma once
// The write pattern that interlaced layers live on: a few hot tracks, side by side or scattered, that slowly move.
#include <cstdint>
#include <vector>

#include "stimuli/generators/address_law.hpp"
#include "stimuli/generators/workload_config.hpp"

namespace tessera {

/// Hot tracks come in runs of `run_length`; between two runs lie one to three cold tracks or more, so that a
/// run begins at an even track as often as at an odd one: on interlaced media the one is a bottom, the other a top. Of the requests,
/// `share` goes to the hot tracks, `neighbour_share` to the cold tracks right beside their runs, the rest anywhere in the footprint. Every
/// `drift_writes` writes the oldest `drift_share` of the runs moves.
class HotTrackAddresses final : public AddressSource {
 public:
  /// The range must hold pitch() * runs() tracks: the caller has checked.
  HotTrackAddresses(const HotTracksConfig& config, Bytes first, Bytes range, Bytes alignment, Footprint cold, RandomStream random,
                    RandomStream places_random);
  Bytes next(bool write, Bytes size) override;

  /// Runs of hot tracks, and tracks from one place for a run to the next: the run, a cold track, and one that lies before or behind.
  static std::uint64_t runs(const HotTracksConfig& config) { return (config.tracks + config.run_length - 1) / config.run_length; }
  static std::uint64_t pitch(const HotTracksConfig& config) { return config.run_length + std::uint64_t{2}; }

 private:
  void count_write();
  [[nodiscard]] std::uint64_t first_track_at(std::uint64_t place);
  [[nodiscard]] std::uint64_t track_beside(std::uint64_t run, std::uint64_t offset) const;

  HotTracksConfig config_;
  Bytes first_;
  Bytes alignment_;
  Footprint cold_;
  std::uint64_t slots_per_track_;
  std::uint64_t moved_at_once_;
  ZipfDistribution ranks_;
  RandomStream places_random_;
  Permutation places_;
  std::vector<std::uint64_t> runs_;  // first track of each run
  std::uint64_t oldest_ = 0;
  std::uint64_t next_place_ = 0;
  std::uint64_t writes_ = 0;
  RandomStream random_;
};

}  // namespace tessera
