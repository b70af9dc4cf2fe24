#include "controller/work_shares.hpp"

#include <algorithm>

namespace tessera {

void WorkShares::change_to(Cause cause, Picoseconds at) {
  settle(at);
  now_ = cause;
  since_ = at;
  any_ = true;
}

void WorkShares::settle(Picoseconds at) {
  if (now_ == Cause::host) return;
  times_[static_cast<std::size_t>(now_)] += at - since_;
  since_ = at;
}

std::uint64_t WorkShares::begin_wait(Picoseconds at) {
  if (!any_) return 0;
  settle(at);
  return 1 + waits_.put(times_);
}

void WorkShares::end_wait(std::uint64_t number, Picoseconds since, Picoseconds at, Picoseconds own, RequestLife* life, TaskWork& task) {
  const Picoseconds left = (at - since) - charge(number, since, at, life, task);
  if (life != nullptr) life->charge(Cause::requests, left - std::min(own, left));
}

void WorkShares::add_to(Times& sum) const {
  for (std::size_t cause = 0; cause < causes; ++cause) sum[cause] += times_[cause] - reported_[cause];
}

void WorkShares::report(const Times& times, MetricSet& metrics, LongTime elapsed) {
  for (std::size_t cause = 0; cause < causes; ++cause) {
    const Picoseconds time = times[cause];
    if (time == Picoseconds(0)) continue;
    const std::string name = to_string(static_cast<Cause>(cause));
    metrics.add("disk_channel.work." + name, share_of(time, elapsed), "1",
                "share of the measured time in which the head-disk assembly worked for this cause: " + name);
  }
}

/// Gives the part of the wait in which the channel did not work for the host. For those who wait for the task, what it did for each cause
/// counts as if it had been done in a row: the order is not kept.
Picoseconds WorkShares::charge(std::uint64_t number, Picoseconds since, Picoseconds at, RequestLife* life, TaskWork& task) {
  settle(at);
  const Times before = number != 0 ? waits_.take(number - 1) : Times{};
  Picoseconds sum;
  for (std::size_t i = 0; i < causes; ++i) {
    const Picoseconds time = times_[i] - before[i];
    if (time == Picoseconds(0)) continue;
    const auto cause = static_cast<Cause>(i);
    task.waited_for(cause, since + sum, since + sum + time);
    sum += time;
    if (life != nullptr) life->charge(cause, time);
  }
  return sum;
}

}  // namespace tessera
