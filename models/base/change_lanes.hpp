#pragma once
// Changes of signals on their way into order of time.
//
// They are told nearly in that order: a device announces what it will do, then others tell what comes before. Each change goes to the end
// of the first lane that ends no later, so that every lane is in order. A handful of lanes holds all of a drive, and taking the earliest
// merges them. Of changes at one time the one told first is in the lane that comes first, or before the other one in its lane.
#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "base/signal_change.hpp"

namespace tessera {

class ChangeLanes {
 public:
  ChangeLanes() : lanes_(2) {
    lanes_.front().last = Picoseconds::max();
    lane_ = &lanes_.back();
  }
  ChangeLanes(const ChangeLanes&) = delete;
  ChangeLanes& operator=(const ChangeLanes&) = delete;

  void append(const SignalChange& change) {
    change.each([this](Picoseconds time, std::uint64_t value, std::uint64_t signal) { append_single({time, value, signal}); });
  }

  /// Those that are not taken; of withdrawn ones none that was there as others were taken.
  [[nodiscard]] std::size_t held() const { return held_; }

  /// What was appended of the signal for times beyond `at` does not happen. Costs as much as there are changes beyond.
  void withdraw(std::uint32_t signal, Picoseconds at);

  /// Takes the earliest while more than `rest` are left that were not withdrawn: take(change), in order of time and then of appending.
  template <class Take>
  void take(std::size_t rest, Take&& take) {
    held_ -= withdrawn_;
    withdrawn_ = 0;
    order_heads();
    while (!heads_.empty() && held_ > rest) {
      Lane& lane = lanes_[heads_.front().lane];
      const Picoseconds bound = turn_of_second();
      const SignalChange* next = lane.next;
      const SignalChange* const end = std::min<const SignalChange*>(lane.end, next + (held_ - rest));
      std::size_t withdrawn = 0;
      do {
        if (next->signal != none) [[likely]]
          take(*next);
        else
          ++withdrawn;
        ++next;
      } while (next != end && next->time < bound);
      const std::ptrdiff_t passed = next - lane.next;
      held_ -= static_cast<std::size_t>(passed) - withdrawn;
      lane.next += passed;
      reorder_first(lane);
    }
  }

 private:
  static constexpr std::uint64_t none = std::numeric_limits<std::uint64_t>::max();  // a withdrawn change's signal
  struct Lane {
    Picoseconds last;  // of all changes that it ever had
    SignalChange* next = nullptr;
    SignalChange* end = nullptr;
    SignalChange* limit = nullptr;
    std::vector<SignalChange> room;

    void append(const SignalChange& change) {
      *end++ = change;
      last = change.time;
    }
    void make_room();
  };
  struct Head {
    Picoseconds time;
    std::uint32_t lane;
    bool operator<(const Head& other) const { return time != other.time ? time < other.time : lane < other.lane; }
  };

  /// To the first lane that ends no later, mostly that of the change before: each lane ends before those in front of it, and there is
  /// always an empty one behind them.
  void append_single(const SignalChange& change) {
    ++held_;
    while (lane_->last > change.time) ++lane_;
    while ((lane_ - 1)->last <= change.time) --lane_;
    if (lane_->end == lane_->limit) [[unlikely]]
      make_room();
    lane_->append(change);
  }
  void make_room();
  void order_heads();
  /// When the first lane's turn ends.
  [[nodiscard]] Picoseconds turn_of_second() const {
    if (heads_.size() == 1) return Picoseconds::max();
    return heads_[1].time + Picoseconds(heads_[1].lane > heads_[0].lane ? 1 : 0);
  }
  /// Puts the first lane where its next change belongs.
  void reorder_first(const Lane& lane) {
    if (lane.next == lane.end) {
      heads_.erase(heads_.begin());
      return;
    }
    const Head moved{lane.next->time, heads_.front().lane};
    std::size_t place = 1;
    for (; place < heads_.size() && heads_[place] < moved; ++place) heads_[place - 1] = heads_[place];
    heads_[place - 1] = moved;
  }

  std::vector<Lane> lanes_;  // before the first stands one that holds nothing and ends never
  Lane* lane_;               // that had the last change
  std::vector<Head> heads_;  // of lanes that hold any, in order, while changes are taken
  std::size_t held_ = 0;
  std::size_t withdrawn_ = 0;  // of them
};

}  // namespace tessera
