#pragma once
// What the host sees of a run: latencies, amounts, failures and the backlog.
#include <array>
#include <cstdint>

#include "base/metrics.hpp"
#include "host/host_request.hpp"
#include "stimuli/player/backlog_curve.hpp"
#include "stimuli/player/initial_transient.hpp"
#include "stimuli/player/phase_times.hpp"

namespace tessera {

/// Counts completed requests. All times are absolute (of the timeline).
class PlayerStatistics {
 public:
  /// A request arrived (at its dilated arrival).
  void arrived(Picoseconds at) { backlog_.arrived(rested_ + at); }
  /// `by` passes that later instants leave out.
  void rest(Picoseconds by) { rested_ += by; }
  /// A request that arrived will never be completed: its host does not send it again.
  void lost(Picoseconds at) { backlog_.completed(rested_ + at); }
  /// All that was counted so far, but the backlog, belongs to the warm-up.
  void leave_out_so_far();
  /// A request was completed at `now`. Those numbered below `warmup` stay out of all but the backlog.
  void completed(const HostRequest& request, Picoseconds now, std::uint64_t warmup);

  [[nodiscard]] std::uint64_t served() const { return served_; }
  [[nodiscard]] std::uint64_t failed() const { return failed_; }
  [[nodiscard]] std::uint64_t warmed_up() const { return warmed_up_; }
  [[nodiscard]] const DurationHistogram& latency() const { return all_; }
  [[nodiscard]] const DurationHistogram& read_latency() const { return reads_; }
  [[nodiscard]] const DurationHistogram& write_latency() const { return writes_; }
  [[nodiscard]] const BacklogCurve& backlog() const { return backlog_; }
  /// Whether the measured part became steady; empty where it is too short to say.
  [[nodiscard]] std::optional<bool> steady() const;
  [[nodiscard]] Bytes bytes_read() const { return bytes_read_; }
  [[nodiscard]] Bytes bytes_written() const { return bytes_written_; }

  /// Adds host.served, host.failed, host.latency.*, for reads and writes apart latency.*, time.* and slowest.*, amounts, rates and
  /// host.backlog.*; `tags` is the depth up to which requests at the drive are no backlog that grows.
  void report(MetricSet& metrics, std::uint32_t tags) const;

 private:
  DurationHistogram all_;
  DurationHistogram reads_;
  DurationHistogram writes_;
  PhaseTimes read_phases_;
  PhaseTimes write_phases_;
  BacklogCurve backlog_;
  InitialTransient transient_;
  std::array<std::uint64_t, statuses> by_status_{};
  std::array<std::uint64_t, host_ops> by_op_{};
  std::uint64_t served_ = 0;
  std::uint64_t failed_ = 0;
  std::uint64_t warmed_up_ = 0;
  Bytes bytes_read_;
  Bytes bytes_written_;
  LongTime rested_;         // left out of the instants that are told
  LongTime measured_from_;  // arrival of the first request after the warm-up
  LongTime last_completion_;
};

}  // namespace tessera
