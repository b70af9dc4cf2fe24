#pragma once
// Room that a merge gives back step by step. What it frees comes in one lump, when the band is home; what may be written meanwhile is paced
// by what merges have freed for their time so far. What is given in advance lies in a reserve: nothing is overwritten that is still needed.
#include <algorithm>
#include <cstdint>

#include "base/units.hpp"

namespace tessera::media_cache {

/// Of one resource: entries of the map, or sectors of the log.
class RoomOnCredit {
 public:
  explicit RoomOnCredit(std::uint64_t reserve) : reserve_(static_cast<double>(reserve)) {}

  [[nodiscard]] std::uint64_t reserve() const { return static_cast<std::uint64_t>(reserve_); }
  /// Given beyond what is free, at most the reserve; negative: what a merge freed in one lump, and is not given yet.
  [[nodiscard]] std::int64_t given() const { return static_cast<std::int64_t>(given_); }

  /// Before a merge: what the first one is going to free, and for how much time. Later ones go by experience.
  void expect(double amount, Picoseconds time) {
    if (time_ == 0) learn(amount, time);
  }
  /// A step of a merge took so long.
  void earn(Picoseconds time) {
    if (time_ > 0) given_ = std::min(given_ + freed_ / time_ * static_cast<double>(time.value()), reserve_);
  }
  /// A merge freed so much, for all of its time.
  void settle(std::uint64_t freed, Picoseconds time) {
    const auto amount = static_cast<double>(freed);
    learn(amount, time);
    given_ = std::max(given_ - amount, -amount);
  }
  /// Nothing is owed: there is room without a merge.
  void forgive() { given_ = std::max(given_, 0.0); }

 private:
  static constexpr double kept = 15.0 / 16;  // ours: bands differ by a few extents, workloads for longer

  void learn(double amount, Picoseconds time) {
    freed_ = freed_ * kept + amount;
    time_ = time_ * kept + static_cast<double>(time.value());
  }

  double reserve_;
  double given_ = 0;
  double freed_ = 0;
  double time_ = 0;  // picoseconds
};

}  // namespace tessera::media_cache
