#include "firmware/layers/imr_cache/cache_map.hpp"

#include <cstring>

namespace tessera::cache {

CacheMap::CacheMap(MemoryPort& memory, Slot slots)
    : entries_(memory, MemoryCategory::metadata, slots, "slots of the track cache"),
      index_(memory, MemoryCategory::metadata, slots, "cached tracks") {}

std::optional<std::uint64_t> CacheMap::track_in(Slot slot) const {
  const std::uint64_t track = entries_.read(slot).track_plus_one;
  return track == 0 ? std::nullopt : std::optional(track - 1);
}

MoveWords CacheMap::words(Change change, std::uint64_t track, Slot slot, std::uint32_t saved) {
  return {static_cast<std::uint64_t>(change) | std::uint64_t{saved} << 2, track, slot};
}

void CacheMap::put(std::uint64_t track, Slot slot) {
  entries_.write(slot) = {track + 1, 0};
  index_.insert(track, slot);
  ++cached_;
}

void CacheMap::apply(const MoveWords& words) {
  const auto slot = static_cast<Slot>(words[2]);
  switch (static_cast<Change>(words[0] & 3U)) {
    case Change::none: return;
    case Change::promote: return put(words[1], slot);
    case Change::evict:
      index_.erase(words[1]);
      --cached_;
      entries_.write(slot) = {};
      return;
  }
}

void CacheMap::save(std::span<std::byte> image) const {
  for (Slot slot = 0; slot < slots(); ++slot) std::memcpy(&image[sizeof(std::uint64_t) * slot], &entries_.peek(slot).track_plus_one, 8);
}

void CacheMap::load(std::span<const std::byte> image) {
  for (Slot slot = 0; slot < slots(); ++slot) {
    std::uint64_t track = 0;
    std::memcpy(&track, &image[sizeof track * slot], sizeof track);
    if (track != 0) put(track - 1, slot);
  }
}

}  // namespace tessera::cache
