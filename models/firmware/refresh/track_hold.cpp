#include "firmware/refresh/track_hold.hpp"

#include <algorithm>
#include <utility>

namespace tessera {

void TrackHold::submit(MediaChain& chain) {
  if (free_.empty()) {
    free_.push_back(tasks_.size());
    tasks_.emplace_back();
  }
  const std::size_t place = free_.back();
  free_.pop_back();
  tasks_[place] = carry(chain, place);
  tasks_[place].handle().promise().continuation = chain.wait.task;
  tasks_[place].handle().resume();
}

Task<void> TrackHold::carry(MediaChain& chain, std::size_t place) {
  if (touches(chain)) {
    ++held_;
    waits_(whom_);
  }
  while (touches(chain)) co_await released_.change(LifePhase::lock);
  passes_(whom_, chain);
  under_way_.push_back(&chain);
  // Its caller looks at the status.
  static_cast<void>(co_await media_.run(chain));
  under_way_.erase(std::ranges::find(under_way_, &chain));
  if (!ended_.empty()) ended_.wake_all();
  free_.push_back(place);
}

bool TrackHold::touches(const MediaChain& chain) const {
  if (tracks_.first == tracks_.end) return false;
  return std::ranges::any_of(chain.steps(), [this](const MediaStep& step) {
    if (step.run.track.surface != tracks_.surface) return false;
    const std::uint32_t radius = step.run.track.radius;
    const Overlap::Reach reach = step.op == MediaOp::write ? overlap_.reach(radius) : Overlap::Reach();
    return radius + reach.above >= tracks_.first && radius - reach.below < tracks_.end;
  });
}

bool TrackHold::any_under_way() const {
  return std::ranges::any_of(under_way_, [this](const MediaChain* chain) { return touches(*chain); });
}

Task<void> TrackHold::take(RadiusSpan tracks) {
  tracks_ = tracks;
  while (any_under_way()) co_await ended_.change(LifePhase::lock);
}

void TrackHold::release() {
  tracks_ = {};
  released_.wake_all();
}

}  // namespace tessera
