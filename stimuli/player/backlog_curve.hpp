#pragma once
// How many requests have arrived and are not yet completed, over the time of a run, in constant memory.
#include <array>
#include <cstdint>
#include <optional>

#include "base/long_time.hpp"

namespace tessera {

/// Counts arrivals and completions in 1024 intervals of equal width; when time outgrows them, pairs are merged and the width
/// doubles. So the backlog is exact at the bounds of at least 512 intervals of a run, whatever its length, and a request
/// need not be held in memory only because it waits: under an open loop the trace itself is the queue.
class BacklogCurve {
 public:
  void arrived(LongTime at);
  void completed(LongTime at);

  [[nodiscard]] std::uint64_t arrivals() const { return arrivals_; }
  /// Largest backlog at the bound of an interval.
  [[nodiscard]] std::uint64_t peak() const;
  /// Backlog at the end of the interval in which the last request arrived; 0 without arrivals.
  [[nodiscard]] std::uint64_t final() const;
  /// Mean number of uncompleted requests between first arrival and last completion; exact. Empty if nothing was completed
  /// or no time passed.
  [[nodiscard]] std::optional<double> mean() const;
  /// Mean backlog in each quarter of the time from first to last arrival, at interval bounds.
  [[nodiscard]] std::array<double, 4> quarters() const;
  /// A run is unstable if its backlog ends above `floor` (the depth that the drive takes up by itself), and either at least a tenth of all
  /// requests waited then, whatever the way there, or it rose from each quarter to the next and at least doubled from the second to the
  /// fourth (one that grows linearly makes it 7/3): an overload that is slighter, or not as old.
  [[nodiscard]] bool unstable(std::uint64_t floor) const;

 private:
  static constexpr std::size_t intervals = 1024;
  struct Interval {
    std::uint64_t arrivals = 0;
    std::uint64_t completions = 0;
  };
  Interval& interval_of(LongTime at);
  [[nodiscard]] std::size_t index(LongTime at) const { return static_cast<std::size_t>(at.value() >> width_bits_); }

  std::array<Interval, intervals> curve_{};
  unsigned width_bits_ = 20;  // an interval is 2^20 ps (1 us) wide at first
  std::uint64_t arrivals_ = 0;
  std::uint64_t completions_ = 0;
  unsigned __int128 arrival_sum_ = 0;  // sum of all arrival times: the area under the curve is the difference of the two sums
  unsigned __int128 completion_sum_ = 0;
  LongTime first_arrival_;
  LongTime last_arrival_;
  LongTime last_completion_;
};

}  // namespace tessera
