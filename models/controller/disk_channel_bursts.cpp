// The disk channel before a DRAM that takes bursts: what a step moves is under way while it passes the head, and not all of it is answered
// when the step ends.
#include <algorithm>

#include "controller/disk_channel.hpp"

namespace tessera {

/// The engine knows from the servo when the step's first sector is under the head. Of a write it fills the FIFO before.
void DiskChannel::announce(const DiskLane& lane, const MediaStep& step) {
  const bool write = step.op == MediaOp::write;
  const Picoseconds now = timeline_.now();
  const Picoseconds passing = positioning_.revolution() * step.run.count / std::max(tracks_.sectors_on(step.run.track), 1U);
  dma_.disk_starts(step, now + lane.positioning.positioning_time(step.run, write, now), std::max(passing, Picoseconds(1)),
                   write ? fifo_ : Bytes(0), lane.arm);
}

/// Whether a write's step ends without all of its data: the arm waits.
bool DiskChannel::waits_for_bursts(DiskLane& lane, const MediaStep& step, Picoseconds late) {
  if (step.op != MediaOp::write || moves_nothing(lane.step_status)) return false;
  const Picoseconds now = timeline_.now();
  if (dma_.disk_done(lane.arm, *this, lane.arm * alarms + fed, now + late)) return false;
  lane.turning = true;
  lane.passed = now;
  lane.late = late;
  return true;
}

/// The data is here. Where the FIFO ran empty, the rest of the run is written as it comes round again.
void DiskChannel::feed(DiskLane& lane) {
  const Picoseconds now = timeline_.now();
  const Picoseconds turn = std::max(positioning_.revolution(), Picoseconds(1));
  const Picoseconds since = now - lane.passed;
  Picoseconds until = now;
  if (lane.late != Picoseconds(0)) {
    const std::uint64_t turns = (since + turn - Picoseconds(1)) / turn;
    missed_turns_ += turns - lane.late / turn;
    until = lane.passed + turn * turns;
  }
  lane.current->breakdown.rotation += until - lane.passed;
  if (until == now) return step_ended(lane);
  timeline_.post(until, *this, lane.arm * alarms + turned);
}

/// Whether the chain, of which the arm has done the last step, waits for bursts of any arm that served it.
bool DiskChannel::lands_later(const DiskLane& lane, MediaChain& chain) {
  const bool changed_arms = chain.landed != Picoseconds(0);
  const auto arms = static_cast<std::uint32_t>(lanes_.size());
  return wait_for({&chain, timeline_.now(), lane.landed, changed_arms ? 0 : lane.arm, changed_arms ? arms : lane.arm + 1});
}

bool DiskChannel::wait_for(Landing landing) {
  while (landing.arm < landing.end) {
    const std::uint32_t arm = landing.arm++;
    const std::uint64_t number = landings_.put(landing);
    if (!dma_.disk_done(arm, *this, number * alarms + answered, landing.landed)) {
      ++landing_;
      return true;
    }
    landings_.take(number);
  }
  return false;
}

void DiskChannel::land(Landing landing) {
  --landing_;
  if (!wait_for(landing)) complete(*landing.chain, landing.ended, timeline_.now());
}

}  // namespace tessera
