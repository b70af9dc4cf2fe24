#pragma once
// What a run reports: the drive's metrics over the measured part, and the figures that take several blocks to compute.
#include "base/metrics.hpp"
#include "platforms/drive/drive_module.hpp"
#include "stimuli/hosts/translating_host.hpp"
#include "stimuli/player/player.hpp"

namespace tessera {

/// The measured part of a run: from the end of boot (or of the warm-up) to the end of the drain.
class Measurement {
 public:
  /// `host`: what translates above the drive, or null.
  explicit Measurement(DriveModule& drive, const TranslatingHost* host = nullptr) : drive_(drive), host_(host) {}

  /// The measured part begins at the timeline's now().
  void begin();
  /// It goes on by this without the timeline.
  void rest(Picoseconds by) { rested_ += by; }
  /// It ends now: gives every metric of drive and player.
  [[nodiscard]] MetricSet end(const Player& player);
  /// The same behind what a host of another kind has counted.
  [[nodiscard]] MetricSet end(MetricSet host);
  /// After end(): whether the layer has cleanings, whether any came or not.
  [[nodiscard]] bool layer_cleans() const { return layer_cleans_; }

 private:
  void add_write_amplification(MetricSet& metrics) const;
  void add_totals(MetricSet& metrics) const;
  void add_lifetime(MetricSet& metrics, double seconds) const;
  void add_dirty_peak(MetricSet& metrics) const;

  void report(MetricSet& metrics, LongTime elapsed) const;
  [[nodiscard]] std::uint64_t user_sectors() const;

  DriveModule& drive_;
  const TranslatingHost* host_;
  MetricSet start_;
  Picoseconds begin_;
  LongTime rested_;
  bool layer_cleans_ = false;
};

}  // namespace tessera
