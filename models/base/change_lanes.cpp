#include "base/change_lanes.hpp"

namespace tessera {

[[gnu::noinline]] void ChangeLanes::make_room() {
  const std::ptrdiff_t place = lane_ - lanes_.data();
  if (lane_ == &lanes_.back()) lanes_.emplace_back();
  lane_ = lanes_.data() + place;
  lane_->make_room();
}

/// What was taken leaves, and where that was little there is twice as much room.
void ChangeLanes::Lane::make_room() {
  constexpr std::size_t least = 256;
  const auto held = static_cast<std::size_t>(end - next);
  if (2 * held < room.size()) {
    std::copy(next, end, room.data());
  } else {
    std::vector<SignalChange> larger(std::max(least, 2 * room.size()));
    std::copy(next, end, larger.data());
    room.swap(larger);
  }
  next = room.data();
  end = next + held;
  limit = next + room.size();
}

void ChangeLanes::withdraw(std::uint32_t signal, Picoseconds at) {
  for (Lane& lane : lanes_)
    for (SignalChange* change = lane.end; change != lane.next && (change - 1)->time > at; --change)
      if ((change - 1)->signal == signal) {
        (change - 1)->signal = none;
        ++withdrawn_;
      }
}

void ChangeLanes::order_heads() {
  heads_.clear();
  for (std::uint32_t i = 0; i < lanes_.size(); ++i)
    if (lanes_[i].next != lanes_[i].end) heads_.push_back({lanes_[i].next->time, i});
  std::sort(heads_.begin(), heads_.end());
}

}  // namespace tessera
