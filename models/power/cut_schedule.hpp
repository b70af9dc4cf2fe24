#pragma once
// When the power fails: the cuts that were asked for, in order of time.
#include <optional>
#include <vector>

#include "base/units.hpp"

namespace tessera {

class CutSchedule {
 public:
  CutSchedule() = default;
  /// Any order; equal times are one cut.
  explicit CutSchedule(std::vector<Picoseconds> cuts);

  /// One more, not before any that has happened; false where there is one at that time.
  bool add(Picoseconds at);
  /// The next cut; empty when none is left.
  [[nodiscard]] std::optional<Picoseconds> next() const;
  /// The cut next() has happened at `now`.
  void happened(Picoseconds now);
  /// The power is off until `on`, whoever took it: cuts before that are dropped.
  void dark_until(Picoseconds on);

  [[nodiscard]] std::uint64_t done() const { return done_; }
  /// Cuts that fell into an outage.
  [[nodiscard]] std::uint64_t dropped() const { return dropped_; }

 private:
  std::vector<Picoseconds> cuts_;  // ascending
  std::size_t next_ = 0;
  std::uint64_t done_ = 0;
  std::uint64_t dropped_ = 0;
};

}  // namespace tessera
