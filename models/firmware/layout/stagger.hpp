#pragma once
// Where the numbers of a staggered track begin. Parts of a turn are counted in units of 2^-32, so that they wrap as angles do.
#include <cstdint>

#include "base/geometry.hpp"

namespace tessera {

/// `of` n equal parts of a turn, rounded up: below a turn.
[[nodiscard]] constexpr std::uint32_t part_of_turn(std::uint64_t of, std::uint64_t n) {
  return static_cast<std::uint32_t>(((of << 32) + n - 1) / n);
}

/// The sector that covers the begin of this part, on an aligned track of `sectors`.
[[nodiscard]] constexpr std::uint32_t sector_at(std::uint32_t part, std::uint32_t sectors) {
  return static_cast<std::uint32_t>(std::uint64_t{part} * sectors >> 32);
}

/// Sector `index` of a track whose numbers begin at sector `begin`.
[[nodiscard]] constexpr std::uint32_t staggered(std::uint32_t index, std::uint32_t begin, std::uint32_t sectors) {
  const std::uint32_t sum = index + begin;
  return sum < sectors ? sum : sum - sectors;
}
/// And back.
[[nodiscard]] constexpr std::uint32_t unstaggered(std::uint32_t sector, std::uint32_t begin, std::uint32_t sectors) {
  return sector >= begin ? sector - begin : sector + sectors - begin;
}

/// How much later the numbers of a track begin than those of the track that the head comes from. As they begin at a sector's boundary,
/// those of one of `shortest` sectors or more may begin up to a sector early: one is added.
[[nodiscard]] constexpr std::uint32_t lead_of(const TrackSwitches& switches, std::uint32_t radii, bool other_surface,
                                              std::uint32_t shortest) {
  return switches.angle(radii, other_surface) + part_of_turn(1, shortest);
}

}  // namespace tessera
