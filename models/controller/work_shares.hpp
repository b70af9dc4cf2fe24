#pragma once
// How long the disk channel has worked for each cause, and which work a chain in its queue waited for. Work for the host is counted as what
// is left, so that a drive without background work pays for none of this.
#include <array>
#include <cstdint>

#include "base/cause.hpp"
#include "base/long_time.hpp"
#include "base/metrics.hpp"
#include "base/request_life.hpp"
#include "base/slot_pool.hpp"
#include "controller/task_work.hpp"

namespace tessera {

class WorkShares {
 public:
  /// Whether there was work for anything but the host.
  [[nodiscard]] bool any() const { return any_; }

  /// The channel works for `cause` from `at` on, or for the host; what it did before ends.
  void turn_to(Cause cause, Picoseconds at) {
    if (cause != now_ || cause != Cause::host) [[unlikely]]
      change_to(cause, at);
  }

  /// A chain begins to wait: gives the number under which it ends its wait, 0 as long as there is nothing but work for the host.
  [[nodiscard]] std::uint64_t begin_wait(Picoseconds at);
  /// Charges `life`, if any, for a wait from `since` to `at`, of which `own` was work for the same request, and tells the task that waited.
  void end_wait(std::uint64_t number, Picoseconds since, Picoseconds at, Picoseconds own, RequestLife* life, TaskWork& task);
  using Times = std::array<Picoseconds, causes>;
  /// What it worked for each cause but the host since reset_statistics().
  void add_to(Times& sum) const;
  /// As shares of `elapsed`; none of those without any.
  static void report(const Times& times, MetricSet& metrics, LongTime elapsed);
  void reset_statistics() { reported_ = times_; }
  void clear() {
    waits_.clear();
    now_ = Cause::host;
  }

 private:
  void change_to(Cause cause, Picoseconds at);
  void settle(Picoseconds at);
  Picoseconds charge(std::uint64_t number, Picoseconds since, Picoseconds at, RequestLife* life, TaskWork& task);

  Cause now_ = Cause::host;
  Picoseconds since_;
  bool any_ = false;
  Times times_{};     // until `since_`
  Times reported_{};  // before the measured part
  SlotPool<Times> waits_;
};

}  // namespace tessera
