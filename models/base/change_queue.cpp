#include "base/change_queue.hpp"

namespace tessera {

namespace {

constexpr std::size_t most_of_one = 3;  // single changes that a use stands for
constexpr std::ptrdiff_t few = 12;      // are moved one by one

}  // namespace

ChangeQueue::ChangeQueue() : room_(2) { room_.back().time = Picoseconds::max(); }

void ChangeQueue::append(std::span<const SignalChange> told) {
  if (later_ - earlier_ < most_of_one * told.size()) [[unlikely]]
    make_room(most_of_one * told.size());
  SignalChange* earlier = room_.data() + earlier_;
  SignalChange* later = room_.data() + later_;
  const auto lay_down = [this, &earlier, &later] {
    earlier_ = static_cast<std::size_t>(earlier - room_.data());
    later_ = static_cast<std::size_t>(later - room_.data());
  };
  withdrawals_.clear();
  for (const SignalChange& change : told)
    each_told(
        change,
        [&](Picoseconds time, std::uint64_t value, std::uint64_t signal) {
          if (earlier[-1].time > time)
            move_up(earlier, later, time);
          else if (later->time <= time)
            move_down(earlier, later, time);
          *earlier++ = {time, value, signal};
        },
        [&](std::uint64_t signal, Picoseconds at) {
          lay_down();
          withdraw(signal, at);
          withdrawals_.push_back({at, 0, signal});
          earlier = room_.data() + earlier_;
          later = room_.data() + later_;
        });
  lay_down();
}

/// What is later than `time` goes to the later side of the gap.
inline void ChangeQueue::move_up(SignalChange*& earlier, SignalChange*& later, Picoseconds time) {
  for (std::ptrdiff_t moved = 0; moved < few; ++moved) {
    *--later = *--earlier;
    if (earlier[-1].time <= time) return;
  }
  const SignalChange* const first = room_.data() + begin_;
  SignalChange* place = earlier;
  while (place - first > few && place[-few].time > time) place -= few;
  while (place[-1].time > time) --place;
  later = std::copy_backward(place, earlier, later);
  earlier = place;
}

/// What is not later than `time` goes to the earlier side of the gap.
inline void ChangeQueue::move_down(SignalChange*& earlier, SignalChange*& later, Picoseconds time) {
  for (std::ptrdiff_t moved = 0; moved < few; ++moved) {
    *earlier++ = *later++;
    if (later->time > time) return;
  }
  const SignalChange* const last = room_.data() + room_.size() - 1;
  SignalChange* place = later;
  while (last - place > few && place[few].time <= time) place += few;
  while (place->time <= time) ++place;
  earlier = std::copy(later, place, earlier);
  later = place;
}

/// What was dropped leaves, and where that was little there is twice as much room.
void ChangeQueue::make_room(std::size_t changes) {
  constexpr std::size_t least = 256;
  const std::size_t needed = 2 + held() + changes;
  const auto begin = room_.begin() + static_cast<std::ptrdiff_t>(begin_ - 1);
  const auto earlier = room_.begin() + static_cast<std::ptrdiff_t>(earlier_);
  if (2 * needed <= room_.size()) {
    std::copy(begin, earlier, room_.begin());
  } else {
    std::vector<SignalChange> larger(std::max(least, 4 * needed));
    std::copy(begin, earlier, larger.begin());
    std::copy_backward(room_.begin() + static_cast<std::ptrdiff_t>(later_), room_.end(), larger.end());
    later_ += larger.size() - room_.size();
    room_.swap(larger);
  }
  earlier_ -= begin_ - 1;
  begin_ = 1;
}

void ChangeQueue::withdraw(std::uint64_t signal, Picoseconds at) {
  const auto is_signal = [signal](const SignalChange& change) { return change.signal == signal; };
  SignalChange* const earlier = room_.data() + earlier_;
  SignalChange* beyond = earlier;
  while (beyond[-1].time > at) --beyond;
  earlier_ = static_cast<std::size_t>(std::remove_if(beyond, earlier, is_signal) - room_.data());
  SignalChange* const later = room_.data() + later_;
  SignalChange* kept = room_.data() + room_.size() - 1;
  for (SignalChange* change = kept; change != later;)
    if (--change; !is_signal(*change) || change->time <= at) *--kept = *change;
  later_ = static_cast<std::size_t>(kept - room_.data());
}

std::span<const SignalChange> ChangeQueue::all() {
  SignalChange* const later = room_.data() + later_;
  SignalChange* const last = room_.data() + room_.size() - 1;
  earlier_ = static_cast<std::size_t>(std::copy(later, last, room_.data() + earlier_) - room_.data());
  later_ = room_.size() - 1;
  return {room_.data() + begin_, room_.data() + earlier_};
}

void ChangeQueue::drop(std::size_t changes) {
  begin_ += changes;
  room_[begin_ - 1].time = Picoseconds(0);
}

}  // namespace tessera
