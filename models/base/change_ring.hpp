#pragma once
// The newest changes of signals in the order in which they were told, while nobody knows yet whether they will be wanted.
//
// Changes are laid down a chunk at a time, and looked at when they leave the ring: of a use those of single signals. A withdrawal is noted
// by its place among them: it meets those that were told before it, for later times than its own.
#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "base/signal_change.hpp"

namespace tessera {

class ChangeRing {
 public:
  /// Keeps the newest `changes`.
  explicit ChangeRing(std::size_t changes);

  /// Where the next changes are to be laid down.
  [[nodiscard]] std::span<SignalChange> room() { return {changes_.data() + begun_ % changes_.size(), chunk_}; }
  /// That room is full: leave(change) takes what has to go for the next.
  template <class Leave>
  void next_room(Leave&& leave) {
    begun_ += chunk_;
    if (begun_ + chunk_ > left_ + changes_.size()) leave_up_to(left_ + chunk_, leave);
  }
  /// After `laid` changes in the room: what was told of the signal for times beyond `at` does not happen.
  void withdraw(std::uint32_t signal, Picoseconds at, std::size_t laid);
  /// After `laid` changes in the room, the last: leave(change) takes all but the newest that the ring keeps, in the order of telling.
  template <class Leave>
  void end(std::size_t laid, Leave&& leave) {
    begun_ += laid;
    leave_up_to(std::max(left_, begun_ - std::min<std::uint64_t>(begun_, kept_)), leave);
  }
  /// Then those as well.
  template <class Leave>
  void take_rest(Leave&& leave) {
    leave_up_to(begun_, leave);
  }
  /// The newest time of those that left or would have, had they not been withdrawn.
  [[nodiscard]] Picoseconds lost_until() const { return lost_until_; }

 private:
  struct Withdrawal {
    std::uint64_t place;  ///< changes told before it
    Picoseconds at;
  };
  /// Of a signal: each is for a later time than the one before, which meets all that it could.
  struct Withdrawals {
    std::vector<Withdrawal> all;
    std::size_t first = 0;  ///< those before it meet nothing that is left
  };

  template <class Leave>
  void leave_up_to(std::uint64_t end, Leave&& leave) {
    for (; left_ < end; ++left_)
      changes_[left_ % changes_.size()].each([&](Picoseconds time, std::uint64_t value, std::uint64_t signal) {
        const SignalChange change{time, value, signal};
        lost_until_ = std::max(lost_until_, time);
        if (!withdrawn(change)) leave(change);
      });
  }
  [[nodiscard]] bool withdrawn(const SignalChange& change) {
    return change.signal < withdrawals_.size() && meets(withdrawals_[change.signal], change.time);
  }
  /// Whether one of them meets the change that leaves next.
  [[nodiscard]] bool meets(Withdrawals& withdrawals, Picoseconds time) const {
    while (withdrawals.first < withdrawals.all.size() && withdrawals.all[withdrawals.first].place <= left_) ++withdrawals.first;
    return withdrawals.first < withdrawals.all.size() && withdrawals.all[withdrawals.first].at < time;
  }

  std::size_t kept_;
  std::size_t chunk_;
  std::vector<SignalChange> changes_;     // whole chunks
  std::vector<Withdrawals> withdrawals_;  // by signal
  std::uint64_t begun_ = 0;               // changes before the room
  std::uint64_t left_ = 0;
  Picoseconds lost_until_;
};

}  // namespace tessera
