#include "firmware/zones/hole_maps.hpp"

#include <algorithm>
#include <bit>

namespace tessera {

namespace {

/// Bits [first, end) of a word; end <= 64.
constexpr std::uint64_t bits(std::uint32_t first, std::uint32_t end) {
  const std::uint64_t below_end = end == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << end) - 1;
  return below_end & ~((std::uint64_t{1} << first) - 1);
}

}  // namespace

HoleMaps::HoleMaps(MemoryPort& memory, std::uint32_t zones, std::uint32_t zone_sectors, std::uint32_t maps)
    : words_per_map_((zone_sectors + 63) / 64),
      words_(memory, MemoryCategory::metadata, std::uint64_t{std::min(maps, zones)} * words_per_map_, "bitmaps of zones with padding"),
      owner_map_(memory, MemoryCategory::metadata, zones, "bitmap of each zone"),
      free_(memory, MemoryCategory::metadata, std::min(maps, zones), "unused bitmaps of zones"),
      free_count_(std::min(maps, zones)) {
  for (std::uint32_t i = 0; i < free_count_; ++i) free_.peek(i) = free_count_ - i;
}

bool HoleMaps::valid(std::uint32_t zone, std::uint32_t offset) const {
  const std::uint32_t map = owner_map_.read(zone);
  return map == none || (words_.read(word_of(map, offset)) >> (offset % 64) & 1U) == 0;
}

std::uint32_t HoleMaps::count_valid(std::uint32_t zone, std::uint32_t end) const {
  const std::uint32_t map = owner_map_.read(zone);
  if (map == none || end == 0) return end;
  std::uint32_t holes = 0;
  std::uint32_t at = 0;
  for (const std::uint64_t word : words_.read_run(word_of(map, 0), (end + 63) / 64)) {
    holes += static_cast<std::uint32_t>(std::popcount(word & bits(0, std::min<std::uint32_t>(64, end - at))));
    at += 64;
  }
  return end - holes;
}

std::uint32_t HoleMaps::end_of_valid(std::uint32_t zone, std::uint32_t end) const {
  const std::uint32_t map = owner_map_.read(zone);
  if (map == none) return end;
  while (end > 0) {
    const std::uint32_t word_first = (end - 1) / 64 * 64;
    const std::uint64_t data = ~words_.read(word_of(map, word_first)) & bits(0, end - word_first);
    if (data != 0) return word_first + 64 - static_cast<std::uint32_t>(std::countl_zero(data));
    end = word_first;
  }
  return 0;
}

void HoleMaps::mark_holes(std::uint32_t zone, std::uint32_t first, std::uint32_t end) {
  if (first >= end) return;
  std::uint32_t map = owner_map_.read(zone);
  if (map == none) {
    if (free_count_ == 0) return;
    map = free_.read(--free_count_);
    owner_map_.write(zone) = map;
    for (std::uint32_t i = 0; i < words_per_map_; ++i) words_.write(word_of(map, i * 64)) = 0;
  }
  while (first < end) {
    const std::uint32_t word_first = first / 64 * 64;
    const std::uint32_t word_end = std::min(end, word_first + 64);
    words_.write(word_of(map, first)) |= bits(first - word_first, word_end - word_first);
    first = word_end;
  }
}

void HoleMaps::mark_valid(std::uint32_t zone, std::uint32_t offset) {
  const std::uint32_t map = owner_map_.read(zone);
  if (map != none) words_.write(word_of(map, offset)) &= ~(std::uint64_t{1} << (offset % 64));
}

void HoleMaps::clear(std::uint32_t zone) {
  const std::uint32_t map = owner_map_.read(zone);
  if (map == none) return;
  owner_map_.write(zone) = none;
  free_.write(free_count_++) = map;
}

}  // namespace tessera
