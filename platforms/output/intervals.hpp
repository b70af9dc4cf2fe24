#pragma once
// intervals.csv: how the run went over time, one line an interval.
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/long_time.hpp"
#include "base/metrics.hpp"
#include "host/host_request.hpp"
#include "platforms/output/output_file.hpp"
#include "stimuli/player/request_observer.hpp"

namespace tessera {

/// Length of an interval: a simulated time, or a number of completed requests. Exactly one of the two is not 0.
struct IntervalLength {
  Picoseconds time;
  std::uint64_t requests = 0;
};

/// A request belongs to the interval in which it completes. Consecutive intervals of a fixed time in which nothing
/// happened share one line, so that idle hours cost nothing. Times of the calls do not go back.
class IntervalsLog final : public RequestObserver {
 public:
  /// A gauge of the firmware, and its level at the start.
  struct GaugeColumn {
    std::string name;
    std::uint64_t level;
  };
  IntervalsLog(const std::filesystem::path& path, IntervalLength length, std::vector<GaugeColumn> gauges = {});

  void on_complete(const HostRequest& request, Picoseconds now) override;
  /// Requests that the drive has accepted and not completed.
  void queue(std::uint64_t outstanding, Picoseconds now);
  /// One cleaning or merge more, or fewer, is under way.
  void cleaning_begins(Picoseconds now);
  void cleaning_ends(Picoseconds now);
  /// The gauge of this column has a new level.
  void gauge(std::size_t column, std::uint64_t level, Picoseconds now);
  [[nodiscard]] bool failed() const { return file_.failed(); }
  /// Writes the interval that `now` ends, if anything happened in it, and closes; throws OutputError.
  void close(Picoseconds now);
  /// `by` passes that later instants leave out.
  void rest(Picoseconds by) { rested_ += by; }

 private:
  void pass_to(Picoseconds now);
  void advance(LongTime now);
  void write_line(LongTime end);

  OutputFile file_;
  IntervalLength length_;
  LongTime rested_;  // counted in those that follow
  LongTime start_;
  LongTime now_;  // accounted up to here
  std::uint64_t requests_ = 0;
  std::uint64_t reads_ = 0;
  std::uint64_t writes_ = 0;
  Picoseconds max_latency_;
  unsigned __int128 latency_sum_ = 0;
  std::uint64_t outstanding_ = 0;
  std::uint64_t outstanding_max_ = 0;
  unsigned __int128 outstanding_area_ = 0;
  std::uint64_t cleanings_begun_ = 0;
  std::uint64_t cleanings_open_ = 0;
  LongTime cleaning_time_;
  std::vector<GaugeColumn> gauges_;
  bool anything_ = false;
};

}  // namespace tessera
