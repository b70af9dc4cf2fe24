#include "firmware/layers/imr_flip/flip_map.hpp"

#include <algorithm>
#include <cstring>

namespace tessera::flip {

namespace {
bool is_high(Flip flip) { return flip == Flip::high_front || flip == Flip::high_behind; }
bool is_front(Flip flip) { return flip == Flip::low_front || flip == Flip::high_front; }
}  // namespace

Splice Splice::of(Flip flip, std::uint32_t bottom_sectors, std::uint32_t top_sectors) {
  const std::uint32_t count = std::min(bottom_sectors, top_sectors);
  if (!is_high(flip)) return {0, 0, count};
  return {bottom_sectors - count, top_sectors - count, count};
}

FlipMap::FlipMap(MemoryPort& memory, InterlacedTracks tracks)
    : tracks_(std::move(tracks)), words_(memory, MemoryCategory::metadata, words_for(tracks_.bottoms()), "flips of bottom tracks") {}

PhysicalTrack FlipMap::partner(PhysicalTrack bottom, Flip flip) const {
  const std::optional<PhysicalTrack> top = is_front(flip) ? tracks_.in_front(bottom) : tracks_.behind(bottom);
  TESSERA_CHECK(top.has_value(), "a bottom is flipped with a top that does not exist");
  return *top;
}

std::optional<FlippedPair> FlipMap::flip_of(PhysicalTrack track) const {
  if (tracks_.is_bottom(track)) {
    const Flip flip = state(track);
    if (flip == Flip::home) return std::nullopt;
    return FlippedPair{track, partner(track, flip), flip};
  }
  for (const std::optional<PhysicalTrack>& bottom : {tracks_.in_front(track), tracks_.behind(track)}) {
    if (!bottom) continue;
    const Flip flip = state(*bottom);
    if (flip != Flip::home && partner(*bottom, flip) == track) return FlippedPair{*bottom, track, flip};
  }
  return std::nullopt;
}

Splice FlipMap::splice(const FlippedPair& pair) const {
  return Splice::of(pair.flip, tracks_.length(pair.bottom), tracks_.length(pair.top));
}

PhysicalRun FlipMap::place_of(const PhysicalRun& home) const {
  const std::optional<FlippedPair> pair = flip_of(home.track);
  if (!pair) return home;
  const Splice splice = this->splice(*pair);
  const bool from_bottom = home.track == pair->bottom;
  const std::uint32_t first = from_bottom ? splice.bottom_first : splice.top_first;
  const std::uint32_t there = from_bottom ? splice.top_first : splice.bottom_first;
  if (home.first < first) return {home.track, home.first, std::min(home.count, first - home.first)};
  if (home.first >= first + splice.count) return home;
  return {from_bottom ? pair->top : pair->bottom, home.first - first + there, std::min(home.count, first + splice.count - home.first)};
}

MoveWords FlipMap::words(PhysicalTrack bottom, Flip flip, bool beside_saved) const {
  return {beside_saved ? 2U : 1U, tracks_.number(bottom), static_cast<std::uint64_t>(flip)};
}

FlipMap::Change FlipMap::change_of(const MoveWords& words) const {
  return {tracks_.track(words[1]), static_cast<Flip>(words[2]), words[0] == 2};
}

void FlipMap::apply(const MoveWords& words) {
  if (words[0] == 0) return;
  const Change change = change_of(words);
  const std::uint64_t shift = shift_of(change.bottom);
  std::uint64_t& word = words_.write(word_of(change.bottom));
  if (decode(word, change.bottom) != Flip::home) --flips_;
  if (change.flip != Flip::home) ++flips_;
  word = (word & ~(std::uint64_t{7} << shift)) | static_cast<std::uint64_t>(change.flip) << shift;
}

void FlipMap::save(std::span<std::byte> image) const { std::memcpy(image.data(), &words_.peek(0), bytes().value()); }

void FlipMap::load(std::span<const std::byte> image) {
  std::memcpy(&words_.peek(0), image.data(), bytes().value());
  flips_ = 0;
  for (std::uint64_t word = 0; word < words_.size(); ++word)
    for (std::uint64_t states = words_.peek(word); states != 0; states >>= 3) flips_ += (states & 7U) != 0 ? 1U : 0U;
}

}  // namespace tessera::flip
