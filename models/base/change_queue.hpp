#pragma once
// Changes of signals on their way into order of time.
//
// They are told nearly in that order: a device announces what it will do, then others tell what comes before. The changes that are held
// have a gap where the last one was told, and the next mostly goes there, too; else those between move to the other side of the gap.
#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "base/told_change.hpp"

namespace tessera {

class ChangeQueue {
 public:
  ChangeQueue();

  /// In the order in which they were told. Times are earlier than Picoseconds::max().
  void append(std::span<const SignalChange> told);
  void append(const SignalChange& told) { append({&told, 1}); }

  /// Single changes that were neither dropped nor withdrawn.
  [[nodiscard]] std::size_t held() const { return earlier_ - begin_ + room_.size() - 1 - later_; }

  /// Of what was appended last: signals and times.
  [[nodiscard]] std::span<const SignalChange> withdrawals() const { return withdrawals_; }

  /// All held, in order of time and then of telling; valid until the next change of the queue.
  [[nodiscard]] std::span<const SignalChange> all();
  /// The earliest `changes` leave, after all().
  void drop(std::size_t changes);

 private:
  void make_room(std::size_t changes);
  /// What is held of the signal for times beyond `at` leaves. Costs as much as there are changes beyond.
  void withdraw(std::uint64_t signal, Picoseconds at);
  void move_up(SignalChange*& earlier, SignalChange*& later, Picoseconds time);
  void move_down(SignalChange*& earlier, SignalChange*& later, Picoseconds time);

  // From begin_ up to earlier_, and from later_ up to the last, which is later than any. Before begin_ is one that is not later than any.
  std::vector<SignalChange> room_;
  std::size_t begin_ = 1;
  std::size_t earlier_ = 1;
  std::size_t later_ = 1;
  std::vector<SignalChange> withdrawals_;
};

}  // namespace tessera
