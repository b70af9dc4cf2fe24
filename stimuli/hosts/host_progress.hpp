#pragma once
// How a translating host goes on: round after round over all that may wait, and how long written data has waited for room.
#include <optional>
#include <utility>

#include "base/units.hpp"

namespace tessera {

class Rounds {
 public:
  /// Something has happened that a part of the round under way, which is over already, may go on for.
  void again() { again_ = true; }
  /// Calls round() until nothing asks for another one. Called from within a round, as by an application that sends its next request when it
  /// is answered, it only asks for another one.
  template <class Round>
  void run(Round&& round) {
    again_ = true;
    if (std::exchange(running_, true)) return;
    while (std::exchange(again_, false)) round();
    running_ = false;
  }
  void power_lost() { running_ = again_ = false; }

 private:
  bool running_ = false;
  bool again_ = false;
};

class StallClock {
 public:
  /// Written data waits from `now` on, or does no more.
  void set(bool stalled, Picoseconds now) {
    if (stalled == since_.has_value()) return;
    time_ = time(now);
    since_ = stalled ? std::optional(now) : std::nullopt;
  }
  /// In all.
  [[nodiscard]] Picoseconds time(Picoseconds now) const { return since_ ? time_ + (now - *since_) : time_; }

 private:
  std::optional<Picoseconds> since_;
  Picoseconds time_;
};

}  // namespace tessera
