#pragma once
// What a write destroys, as the firmware knows it from its own plan, and in which order tracks are rewritten so that all that a rewrite
// destroys is written again.
#include <cstdint>
#include <optional>
#include <vector>

#include "base/format.hpp"

namespace tessera {

class Overlap {
 public:
  explicit Overlap(const FormatPlan& plan);

  /// Whether any tracks overlap.
  [[nodiscard]] bool any() const { return window_ > 1; }
  /// Whether a write at this radius may destroy others, or be destroyed by others.
  [[nodiscard]] bool at(std::uint32_t radius) const;

  /// Radii on either side of a written one, of its region, whose tracks the write destroys at its angles.
  struct Reach {
    std::uint32_t below = 0;
    std::uint32_t above = 0;
  };
  [[nodiscard]] Reach reach(std::uint32_t radius) const;

  /// `radius` first, then all whose tracks its rewrite destroys, and theirs in turn: each destroys later ones only. Guards that bands share
  /// hold nothing and are left out: the order of one is empty.
  [[nodiscard]] std::vector<std::uint32_t> order(std::uint32_t radius) const;
  /// The next track whose rewrite goes over this one: towards the beginning of its band. Nothing there, and where there are no bands.
  [[nodiscard]] std::optional<std::uint32_t> before(std::uint32_t radius) const;
  /// Tracks from one being rewritten on, in that order, that have to be read before: all that it destroys are among them.
  [[nodiscard]] std::uint32_t window() const { return window_; }

  /// A region whose orders would not end with a band; null where there is none.
  [[nodiscard]] static const Region* endless(const FormatPlan& plan);

 private:
  /// Where a radius lies in bands and guards.
  struct Place {
    bool guard = false;
    bool rising = true;  ///< towards which side its writes destroy
  };
  [[nodiscard]] const Region* region_of(std::uint32_t radius) const;
  [[nodiscard]] static Place place_of(const Region& region, std::uint32_t radius);

  FormatPlan regions_;  // those that overlap
  std::uint32_t window_ = 1;
};

}  // namespace tessera
