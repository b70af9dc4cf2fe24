#pragma once
// How long the disk channel has worked for each cause, and which work a chain in its queue waited for. Work for the host is counted as what
// is left, so that a drive without background work pays for none of this.
#include <algorithm>
#include <array>
#include <cstdint>

#include "base/cause.hpp"
#include "base/metrics.hpp"
#include "base/request_life.hpp"
#include "base/slot_pool.hpp"

namespace tessera {

class WorkShares {
 public:
  /// The channel works for `cause` from `at` on, or for the host; what it did before ends.
  void turn_to(Cause cause, Picoseconds at) {
    if (now_ != Cause::host) [[unlikely]]
      settle(at);
    now_ = cause;
    since_ = at;
  }

  /// A chain begins to wait: gives the number under which it ends its wait. 0 where there was nothing but work for the host so far.
  [[nodiscard]] std::uint64_t begin_wait(Picoseconds at) {
    if (!any_ && now_ == Cause::host) return 0;
    settle(at);
    return 1 + waits_.put(times_);
  }
  /// Charges `life` for a wait from `since` to `at`, of which `own` was work for the same request.
  void end_wait(std::uint64_t number, Picoseconds since, Picoseconds at, Picoseconds own, RequestLife* life) {
    Picoseconds left = at - since;
    if (any_ || now_ != Cause::host) [[unlikely]]
      left -= charge(number, at, life);
    if (life != nullptr) life->charge(Cause::requests, left - std::min(own, left));
  }
  /// The share of `elapsed`, the time since reset_statistics(), in which it worked for each cause but the host; those with none are left out.
  void report(MetricSet& metrics, Picoseconds elapsed) const;
  void reset_statistics() { reported_ = times_; }
  void clear() {
    waits_.clear();
    now_ = Cause::host;
  }

 private:
  using Times = std::array<Picoseconds, causes>;

  void settle(Picoseconds at);
  Picoseconds charge(std::uint64_t number, Picoseconds at, RequestLife* life);

  Cause now_ = Cause::host;
  Picoseconds since_;
  bool any_ = false;
  Times times_{};     // until `since_`
  Times reported_{};  // before the measured part
  SlotPool<Times> waits_;
};

}  // namespace tessera
