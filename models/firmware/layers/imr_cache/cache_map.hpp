#pragma once
// The exceptions from where tracks lie: which bottoms are cached, and in which slots (Hajkazemi et al., section 2.3, "Memory usage").
#include <optional>

#include "firmware/interlaced/move_log.hpp"
#include "firmware/layers/imr_cache/cache_area.hpp"
#include "firmware/tables/dram_table.hpp"

namespace tessera::cache {

class CacheMap final : public TrackMap {
 public:
  static constexpr Slot none = DramHashMap::none;

  CacheMap(MemoryPort& memory, Slot slots);

  [[nodiscard]] Slot slots() const { return static_cast<Slot>(entries_.size()); }
  /// The slot of a track, by its number, or none.
  [[nodiscard]] Slot slot_of(std::uint64_t track) const { return index_.find(track); }
  /// The track in a slot, if any.
  [[nodiscard]] std::optional<std::uint64_t> track_in(Slot slot) const;
  /// Whether a slot is known to hold what its track's home holds: from its promotion to the first write. Not kept over a power cut.
  [[nodiscard]] bool clean(Slot slot) const { return entries_.read(slot).clean != 0; }
  void set_clean(Slot slot, bool clean) { entries_.write(slot).clean = clean ? 1 : 0; }

  enum class Change : std::uint64_t { none, promote, evict };
  /// `saved`: which of the tops beside an evicted track are in the backup region, as bits.
  [[nodiscard]] static MoveWords words(Change change, std::uint64_t track, Slot slot, std::uint32_t saved = 0);
  [[nodiscard]] static std::uint32_t saved_in(const MoveWords& words) { return static_cast<std::uint32_t>(words[0] >> 2); }

  [[nodiscard]] Bytes bytes() const { return Bytes(entries_.size() * sizeof(Entry) + index_.bytes().value()); }
  /// A key of eight bytes and a slot of four, in the paper's manner.
  [[nodiscard]] Bytes paper_bytes() const { return Bytes(12 * entries_.size()); }

  [[nodiscard]] static std::uint64_t image_bytes(Slot slots) { return sizeof(std::uint64_t) * std::uint64_t{slots}; }
  [[nodiscard]] std::uint64_t image_bytes() const override { return image_bytes(slots()); }
  void save(std::span<std::byte> image) const override;
  void load(std::span<const std::byte> image) override;
  /// The fill of the cache.
  [[nodiscard]] std::uint64_t away() const override { return cached_; }
  void apply(const MoveWords& words) override;

 private:
  struct Entry {
    std::uint64_t track_plus_one;  ///< 0: the slot is free
    std::uint64_t clean;
  };
  void put(std::uint64_t track, Slot slot);

  DramArray<Entry> entries_;  // by slot
  DramHashMap index_;         // track to slot
  std::uint64_t cached_ = 0;
};

}  // namespace tessera::cache
