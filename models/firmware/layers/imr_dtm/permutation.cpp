#include "firmware/layers/imr_dtm/permutation.hpp"

#include <cstring>
#include <utility>

namespace tessera::dtm {

Permutation::Permutation(MemoryPort& memory, const PseudoTracks& tracks)
    : tracks_(tracks), places_(memory, MemoryCategory::metadata, tracks.count(), "places of pseudo-tracks") {
  for (std::uint32_t zone = 0; zone < tracks.zones(); ++zone)
    for (std::uint32_t i = 0; i < tracks.zone(zone).count(); ++i) places_.peek(tracks.zone(zone).base + i) = static_cast<std::uint8_t>(i);
}

MoveWords Permutation::words(const Swap& swap) {
  return {std::uint64_t{swap.saved} << 1 | 1U, swap.zone, std::uint64_t{swap.hot} << 32 | swap.cold};
}

Permutation::Swap Permutation::swap_of(const MoveWords& words) {
  return {static_cast<std::uint32_t>(words[1]), static_cast<std::uint32_t>(words[2] >> 32), static_cast<std::uint32_t>(words[2]),
          static_cast<std::uint32_t>(words[0] >> 1)};
}

void Permutation::apply(const MoveWords& words) {
  if (words[0] == 0) return;
  const Swap swap = swap_of(words);
  const std::uint64_t base = tracks_.zone(swap.zone).base;
  away_ -= away_of(base, swap);
  std::swap(places_.write(base + swap.hot), places_.write(base + swap.cold));
  away_ += away_of(base, swap);
}

void Permutation::save(std::span<std::byte> image) const { std::memcpy(image.data(), &places_.peek(0), places_.size()); }

void Permutation::load(std::span<const std::byte> image) {
  std::memcpy(&places_.peek(0), image.data(), places_.size());
  away_ = 0;
  for (std::uint32_t zone = 0; zone < tracks_.zones(); ++zone)
    for (std::uint32_t i = 0; i < tracks_.zone(zone).count(); ++i) away_ += is_away(tracks_.zone(zone).base, i) ? 1U : 0U;
}

}  // namespace tessera::dtm
