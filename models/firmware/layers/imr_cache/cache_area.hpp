#pragma once
// The bottom tracks that are set apart for cached tracks (Hajkazemi et al., section 2.3). The tops between them stay unused, so that
// they are written like conventional tracks. A slot is a run of sectors as long as the longest track of the drive; its tracks are
// bottoms of one surface that follow one another.
#include <vector>

#include "base/format.hpp"
#include "base/geometry.hpp"
#include "firmware/locks/range_locks.hpp"
#include "firmware/ports/media_port.hpp"

namespace tessera::cache {

using Slot = std::uint32_t;

class CacheArea {
 public:
  /// `regions`: the interlaced ones of the cache, a group of slots each; `slot_sectors`: length of a slot; at most `most` slots.
  CacheArea(const MediaPort& media, const DriveGeometry& geometry, const FormatPlan& regions, std::uint32_t slot_sectors, Slot most);

  [[nodiscard]] Slot slots() const { return static_cast<Slot>(first_pieces_.size()); }
  /// Where `count` sectors from `first` on of a slot lie, as far as they stay on one track.
  [[nodiscard]] PhysicalRun piece(Slot slot, std::uint32_t first, std::uint32_t count) const;
  /// The box around a slot.
  [[nodiscard]] AngularBox box(Slot slot) const;

 private:
  /// A part of a slot that lies on one track.
  struct Piece {
    PhysicalRun run;
    std::uint32_t first = 0;  ///< in the slot
  };
  void add_strip(const MediaPort& media, const Region& region, std::uint32_t surface, std::uint32_t slot_sectors);

  std::vector<Piece> pieces_;
  std::vector<std::size_t> first_pieces_;  // by slot
};

}  // namespace tessera::cache
