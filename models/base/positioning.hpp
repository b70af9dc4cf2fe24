#pragma once
// What a scheduler may ask about the mechanics. The disk channel knows it as a real controller does: by a model of the
// head-disk assembly. Implemented by the media, bound to the controller by the platform.
#include <cstdint>

#include "base/address.hpp"
#include "base/units.hpp"

namespace tessera {

class Positioning {
 public:
  virtual ~Positioning() = default;
  /// Where the head is.
  [[nodiscard]] virtual PhysicalTrack head() const = 0;
  /// Time from `now` until the first sector of `run` is under the head: seek or head switch, settle, rotation.
  [[nodiscard]] virtual Picoseconds positioning_time(const PhysicalRun& run, bool write, Picoseconds now) const = 0;
  /// A bound that positioning_time() never falls below for any run `radii` away; never decreases with distance.
  [[nodiscard]] virtual Picoseconds least_positioning(std::uint32_t radii) const = 0;
  /// Of an assembly of several arms each answers for itself; the questions above are then for arm(n).
  [[nodiscard]] virtual std::uint32_t arms() const { return 1; }
  [[nodiscard]] virtual std::uint32_t arm_of(PhysicalTrack) const { return 0; }
  [[nodiscard]] virtual const Positioning& arm(std::uint32_t) const { return *this; }
  /// Steps that the assembly takes at a time, one an arm at most.
  [[nodiscard]] virtual std::uint32_t at_once() const { return 1; }
  /// After which a sector that was missed comes again; 0 where that is not known.
  [[nodiscard]] virtual Picoseconds revolution() const { return {}; }
};

}  // namespace tessera
