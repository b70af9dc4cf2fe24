#include "firmware/layers/static_mapping/static_mapping_scheme.hpp"

namespace tessera::static_mapping {

std::vector<BandPass> passes_of(Scheme scheme, std::uint32_t band_tracks) {
  switch (scheme) {
    case Scheme::r4123: return {{3}, {0}, {1}, {2}};
    case Scheme::s124r3: return {{0, 1, 3}, {2}};
    case Scheme::s14r23: return {{0, 3}, {1}, {2}};
    case Scheme::s1234: break;
  }
  return tracks_in_order(band_tracks);
}

}  // namespace tessera::static_mapping
