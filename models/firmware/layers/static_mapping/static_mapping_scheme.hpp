#pragma once
// The four static address mappings: W. He and D. H. C. Du, "Novel Address Mappings for Shingled Write Disks", HotStorage 2014,
// sections 3 and 4. A write to one track of a band destroys those behind it; the mappings differ in the order in which logical
// sectors use the tracks of all bands.
#include <cstdint>
#include <vector>

#include "firmware/layout/band_track_layout.hpp"

namespace tessera::static_mapping {

/// Named as the paper names them, by tracks of a band counted from 1.
enum class Scheme : std::uint32_t {
  s1234,   ///< band after band, track after track
  r4123,   ///< "R(4123)": the fourth tracks of all bands, then all first, all second, all third ones
  s124r3,  ///< "124R(3)": tracks 1, 2 and 4 of band after band, then all third tracks
  s14r23   ///< "14R(23)": tracks 1 and 4 of band after band, then all second, then all third tracks
};

/// The passes of a scheme, in order; together they use each track of a band once. `band_tracks` is N: 4, or any for s1234.
[[nodiscard]] std::vector<BandPass> passes_of(Scheme scheme, std::uint32_t band_tracks);

/// Equation 1: what shingling gains where a conventional track is W tracks wide, SG = W N / (N + W - 1).
[[nodiscard]] constexpr double space_gain(std::uint32_t band_tracks, std::uint32_t head_width) {
  return static_cast<double>(head_width) * band_tracks / (band_tracks + head_width - 1);
}

}  // namespace tessera::static_mapping
