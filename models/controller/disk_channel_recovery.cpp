// Chains in trouble, and how the disk channel stops.
#include <utility>

#include "controller/disk_channel.hpp"

namespace tessera {

/// An arm has become free. Where a chain is in trouble, those that have changed arms go on to their ends first: the supervisor meets none
/// of them half-way.
void DiskChannel::go_on(const DiskLane& after) {
  if (!stopped()) return serve_waiting(after);
  if (recovering_) return;
  for (DiskLane& lane : lanes_) {
    if (lane.current != nullptr || active_ == at_once_) continue;
    if (MediaChain* const chain = lane.queue.take([](const MediaChain& waiting) { return waiting.steps_done != 0; })) serve(lane, *chain);
  }
  recover_next();
}

/// Gives the chain to the supervisor, once the other arms have done with what they have in hand.
void DiskChannel::hand_over(MediaChain& chain) {
  account(chain, timeline_.now());
  troubled_.push_back(&chain);
  go_on(lanes_.front());
}

/// As a task of its own behind an interrupt.
void DiskChannel::recover_next() {
  if (recovering_ || troubled_.empty() || active_ != 0) return;
  MediaChain& chain = *troubled_.front();
  troubled_.erase(troubled_.begin());
  recovering_ = chain.priority;
  recovery_began_ = timeline_.now();
  for (DiskLane& lane : lanes_) lane.shares.turn_to(Cause::recovery, recovery_began_);
  TaskWork& work = executor_.start(recover(chain), nullptr, InterruptLine::disk, recovery_began_).work;
  work.task = work.now = Cause::recovery;
}

Task<void> DiskChannel::recover(MediaChain& chain) {
  chain.status = co_await supervisor_->carry_out(chain);
  chain.wait.phase = LifePhase::error_recovery;
  executor_.make_ready(chain.wait);
  timeline_.post(executor_.now(), *this, recovered);
}

void DiskChannel::resume_service() {
  const Picoseconds now = timeline_.now();
  for (DiskLane& lane : lanes_) {
    if (recovering_ == MediaClass::background) lane.background_total += now - recovery_began_;
    lane.shares.turn_to(Cause::host, now);
  }
  recovering_.reset();
  go_on(lanes_.back());
}

void DiskChannel::power_off() {
  timeline_.withdraw(*this);
  landings_.clear();
  landing_ = 0;
  submitted_.clear();
  abandoned_.clear();
  unwanted_.clear();
  troubled_.clear();
  recovering_.reset();
  quiet_ = nullptr;
  active_ = 0;
  for (DiskLane& lane : lanes_) {
    lane.queue.clear();
    for (const Signal signal : {lane.depth, lane.op}) signal.set(0, timeline_.now());
    lane.current = nullptr;
    lane.last = {};
    lane.shares.clear();
    lane.helped_life = nullptr;
    lane.turning = false;
  }
}

void DiskChannel::halt(std::function<void()> quiet) {
  timeline_.withdraw(*this);
  dma_.withdraw(*this);
  landings_.clear();
  landing_ = 0;
  submitted_.clear();
  abandoned_.clear();
  unwanted_.clear();
  troubled_.clear();
  recovering_.reset();
  for (DiskLane& lane : lanes_) {
    if (std::exchange(lane.turning, false)) {  // the media has done its part
      lane.current = nullptr;
      --active_;
    }
    lane.queue.clear();
    lane.shares.clear();
  }
  quiet_ = std::move(quiet);
}

}  // namespace tessera
