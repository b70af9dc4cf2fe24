#include "firmware/layers/imr_cache/cache_area.hpp"

#include <algorithm>

#include "base/check.hpp"

namespace tessera::cache {

CacheArea::CacheArea(const MediaPort& media, const DriveGeometry& geometry, const FormatPlan& regions, std::uint32_t slot_sectors,
                     Slot most) {
  for (const Region& region : regions)
    for (std::uint32_t surface = 0; surface < geometry.surfaces; ++surface) add_strip(media, region, surface, slot_sectors);
  if (slots() <= most) return;
  pieces_.resize(first_pieces_[most]);
  first_pieces_.resize(most);
}

/// Slots one behind the other on the bottoms of one surface; what is too short for another slot stays unused.
void CacheArea::add_strip(const MediaPort& media, const Region& region, std::uint32_t surface, std::uint32_t slot_sectors) {
  std::vector<Piece> slot;
  std::uint32_t filled = 0;
  for (std::uint64_t offset = 0; offset < region.count; offset += 2) {
    const PhysicalTrack track{surface, static_cast<std::uint32_t>(region.first + offset)};
    const std::uint32_t length = media.sectors_on(track);
    for (std::uint32_t used = 0; used < length;) {
      const std::uint32_t count = std::min(length - used, slot_sectors - filled);
      slot.push_back({{track, used, count}, filled});
      used += count;
      filled += count;
      if (filled < slot_sectors) continue;
      first_pieces_.push_back(pieces_.size());
      pieces_.insert(pieces_.end(), slot.begin(), slot.end());
      slot.clear();
      filled = 0;
    }
  }
}

PhysicalRun CacheArea::piece(Slot slot, std::uint32_t first, std::uint32_t count) const {
  std::size_t at = first_pieces_[slot];
  while (first >= pieces_[at].first + pieces_[at].run.count) ++at;
  const Piece& piece = pieces_[at];
  const std::uint32_t skipped = first - piece.first;
  return {piece.run.track, piece.run.first + skipped, std::min(count, piece.run.count - skipped)};
}

AngularBox CacheArea::box(Slot slot) const {
  const std::size_t end = slot + 1 == slots() ? pieces_.size() : first_pieces_[slot + 1];
  const PhysicalTrack first = pieces_[first_pieces_[slot]].run.track;
  return {first.surface, first.radius, pieces_[end - 1].run.track.radius + 1, 0, full_turn};
}

}  // namespace tessera::cache
