// What the disk channel counted.
#include <string>

#include "controller/disk_channel.hpp"

namespace tessera {

void DiskChannel::reset_statistics() {
  chains_ = steps_ = missed_turns_ = 0;
  longest_queue_ = queued();
  for (DiskLane& lane : lanes_) {
    lane.busy = Picoseconds(0);
    lane.steps = 0;
    lane.queue.reset_statistics();
    lane.shares.reset_statistics();
  }
}

void DiskChannel::report(MetricSet& metrics, LongTime elapsed) const {
  const LongTime of_all_arms = elapsed * lanes_.size();
  Picoseconds busy;
  std::uint64_t aged = 0;
  WorkShares::Times work{};
  for (const DiskLane& lane : lanes_) {
    busy += lane.busy;
    aged += lane.queue.aged();
    lane.shares.add_to(work);
  }
  metrics.add("disk_channel.utilisation", share_of(busy, of_all_arms), "1",
              "share of the measured time in which the head-disk assembly was busy");
  for (const DiskLane& lane : lanes_) {
    if (lanes_.size() == 1) break;
    const std::string arm = "disk_channel.arm." + std::to_string(lane.arm);
    metrics.add(arm + ".utilisation", share_of(lane.busy, elapsed), "1", "share of the measured time in which the arm was busy");
    metrics.count(arm + ".commands", static_cast<double>(lane.steps), "1", "media commands that the arm served");
  }
  metrics.count("disk_channel.chains", static_cast<double>(chains_), "1", "chains of media commands served");
  metrics.count("disk_channel.commands", static_cast<double>(steps_), "1", "media commands served");
  metrics.count("disk_channel.missed_turns", static_cast<double>(missed_turns_), "1",
                "revolutions lost because the disk channel's FIFO ran over or empty");
  const auto share_aged = chains_ == 0 ? std::nullopt : std::optional(static_cast<double>(aged) / static_cast<double>(chains_));
  metrics.add("disk_channel.aged", share_aged, "1", "share of the chains that were served out of turn because of their age");
  WorkShares::report(work, metrics, of_all_arms);
  metrics.add("disk_channel.queue.max", static_cast<double>(longest_queue_), "1", "longest queue at the disk channel");
}

}  // namespace tessera
