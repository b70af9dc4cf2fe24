#pragma once
// Where a physical sector lies in the media's window of the bus: every track has the same span of addresses, a power of two sectors that
// holds the longest one; tracks follow each other radius by radius, surfaces within.
#include <bit>
#include <cstdint>

#include "base/address.hpp"
#include "base/check.hpp"

namespace tessera {

struct MediaAddressing {
  std::uint32_t surfaces = 1;
  std::uint32_t radii = 0;            ///< spare ones included
  std::uint32_t most_sectors = 1;     ///< of any track
  std::uint32_t sector_bytes = 4096;  ///< a power of two

  [[nodiscard]] constexpr unsigned track_shift() const { return static_cast<unsigned>(std::bit_width(most_sectors - 1)); }
  [[nodiscard]] constexpr unsigned sector_shift() const { return static_cast<unsigned>(std::countr_zero(sector_bytes)); }

  /// Byte offset of a sector in the window.
  [[nodiscard]] constexpr std::uint64_t offset_of(PhysicalSector sector) const {
    TESSERA_CHECK(sector.track.surface < surfaces && sector.track.radius < radii && sector.index >> track_shift() == 0,
                  "a physical sector lies outside the media's window");
    const std::uint64_t track = std::uint64_t{sector.track.radius} * surfaces + sector.track.surface;
    return ((track << track_shift()) + sector.index) << sector_shift();
  }
  /// Whether a sector begins at the offset.
  [[nodiscard]] constexpr bool contains(std::uint64_t offset) const {
    return (offset & (sector_bytes - 1)) == 0 && offset >> sector_shift() >> track_shift() < std::uint64_t{radii} * surfaces;
  }
  /// The sector that begins there; its track may be shorter.
  [[nodiscard]] constexpr PhysicalSector sector_at(std::uint64_t offset) const {
    const std::uint64_t sector = offset >> sector_shift();
    const auto track = static_cast<std::uint32_t>(sector >> track_shift());
    return {{track % surfaces, track / surfaces}, static_cast<std::uint32_t>(sector & ((std::uint64_t{1} << track_shift()) - 1))};
  }
};

}  // namespace tessera
