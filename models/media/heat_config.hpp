#pragma once
// The description of heat-assisted writing: what `[media.heat]` may say.
#include <cstdint>

#include "base/parameter.hpp"
#include "base/units.hpp"

namespace tessera {

struct HeatConfig {
  Picoseconds laser_warm_up;
  Microwatts laser_power;
  Bytes head_life{0};  ///< written by one head; 0: for ever
  std::uint32_t worn_faults_per_million = 1000;
  std::uint32_t write_width = 0;  ///< of the heated track, percent of the track pitch; 0: within the pitch
  std::uint32_t read_width = 50;  ///< percent of the pitch that has to be left of a track for the reader

  void describe(ParameterVisitor& visitor);
  /// Tracks on either side that a write leaves less than read_width of, where tracks are not meant to overlap. A track `n` away loses
  /// what the write reaches beyond its near edge: write_width / 2 - (n - 1/2) pitches, and no more than all of it.
  [[nodiscard]] std::uint32_t tracks_destroyed() const {
    constexpr std::uint32_t pitch = 100;
    const std::uint32_t least = 3 * pitch - 2 * read_width;  // that spoils the next track
    return write_width > least ? (write_width - least - 1) / (2 * pitch) + 1 : 0;
  }
};

}  // namespace tessera
