#pragma once
// Fail-slow: parts of an assembly that work, but for a while much slower than their kind: Gunawi et al., "Fail-Slow at Scale" (FAST 2018),
// tell of disks at a fraction of their rate, of single weak heads, and of stalls of seconds that come and go.
//
// What makes a disk slow are tries that nobody sees: a sector that was missed comes round again. So all time is lost in whole turns, before
// the step's first sector, and the firmware cannot foresee it. Of a step that takes `times` as long only the whole turns are lost at once;
// the rest is kept for the next one, so that many steps take `times` as long together.
#include <cstdint>
#include <string>
#include <vector>

#include "base/random.hpp"
#include "base/units.hpp"
#include "media/media_config.hpp"

namespace tessera {

class FailSlow {
 public:
  /// Of a description without problems. Draws from the random stream "media.fail_slow", where stalls have a rate.
  FailSlow(const MediaConfig& config, Picoseconds turn, std::uint64_t seed);

  [[nodiscard]] bool any() const { return !spells_.empty(); }

  /// What a step loses that begins at `now` and would take `time`: whole turns, or nothing.
  [[nodiscard]] Picoseconds lost(PhysicalTrack track, Picoseconds now, Picoseconds time);

 private:
  struct Spell {
    std::uint32_t first_surface = 0;
    std::uint32_t last_surface = 0;
    std::uint32_t first_radius = 0;
    std::uint32_t last_radius = 0;
    Picoseconds begin;
    Picoseconds end;
    double more = 0;         ///< times a step's time, beyond that
    std::uint64_t rate = 0;  ///< of a million steps, that stall
    Picoseconds stall;       ///< whole turns
    Picoseconds owed{};      ///< less than a turn
  };

  Picoseconds turn_;
  std::vector<Spell> spells_;
  RandomStream random_;
};

/// Adds a sentence for each row of media.fail_slow that says nothing about this drive, where there are no other problems.
void check_fail_slow(const MediaConfig& config, std::vector<std::string>& problems);

}  // namespace tessera
