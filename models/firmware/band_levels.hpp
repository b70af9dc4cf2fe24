#pragma once
// How full the bands of a layer are, for whoever looks on at the model: nothing that firmware itself works with.
#include <cstdint>
#include <vector>

namespace tessera {

/// Of a band, or zone, that a layer writes as one. In drive sectors.
struct BandLevel {
  std::uint32_t sectors = 0;  ///< that it has room for
  std::uint32_t held = 0;     ///< up to where it is written in its place
  std::uint32_t cached = 0;   ///< of which flash, buffer or log in front of the bands holds the newest copy; a write cache does not count
  bool operator==(const BandLevel&) const = default;
};

/// By logical band, in the order of their first sectors.
using BandLevels = std::vector<BandLevel>;

}  // namespace tessera
