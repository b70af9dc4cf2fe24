#pragma once
// The data zones of the host with a log-structured merge tree: what is open for which lifetime, and how much of each zone is live.
#include <optional>
#include <vector>

#include "stimuli/hosts/lsm_tree.hpp"

namespace tessera {

/// What shares zones: RocksDB's write hints (CalculateSSTWriteHint), and what the collection of zones moves.
enum class LsmLife : std::uint8_t {
  brief,    ///< the log: WLTH_SHORT
  medium,   ///< level 0 and the one that it is compacted into
  lengthy,  ///< the level after that: WLTH_LONG
  extreme,  ///< levels after that
  moved     ///< whatever was live in collected zones
};
inline constexpr std::size_t lsm_lives = 5;

enum class LsmZoneUse : std::uint8_t { free, open, filled, collected, resetting };

struct LsmZone {
  LsmZoneUse use = LsmZoneUse::free;
  LsmLife life = LsmLife::brief;
  std::uint32_t pointer = 0;  ///< sectors written or on their way
  std::uint32_t live = 0;     ///< of these, sectors of files and of the log
  std::uint32_t pinned = 0;   ///< of these, sectors that no file has: of the log, and of files in the making
  std::uint32_t reads = 0;    ///< on their way
  std::uint32_t writes = 0;   ///< on their way
};

class LsmZones {
 public:
  explicit LsmZones(const LsmLayout& layout)
      : zone_sectors_(layout.zone_sectors), zones_(layout.data_zones), free_(layout.data_zones), least_free_(layout.data_zones) {}

  [[nodiscard]] LsmZone& zone(std::uint32_t zone) { return zones_[zone]; }
  [[nodiscard]] const LsmZone& zone(std::uint32_t zone) const { return zones_[zone]; }
  [[nodiscard]] LsmZone& of(std::uint64_t place) { return zones_[zone_of(place)]; }
  [[nodiscard]] std::uint32_t zone_of(std::uint64_t place) const { return static_cast<std::uint32_t>(place / zone_sectors_); }
  [[nodiscard]] std::uint64_t first_place(std::uint32_t zone) const { return std::uint64_t{zone} * zone_sectors_; }
  [[nodiscard]] std::uint32_t zones() const { return static_cast<std::uint32_t>(zones_.size()); }
  [[nodiscard]] std::uint32_t free_zones() const { return free_; }
  [[nodiscard]] std::uint32_t least_free() const { return least_free_; }
  /// Grows whenever another zone may be worth a collection, or a collection may be needed.
  [[nodiscard]] std::uint64_t version() const { return version_; }

  /// Sectors left in the zone that is open for them; opens one where that is none. 0: no zone is free.
  [[nodiscard]] std::uint32_t room(LsmLife life);
  /// So many of them: live, and pinned until settle().
  [[nodiscard]] LsmExtent allocate(LsmLife life, std::uint32_t sectors);
  /// A file has it from now on.
  void settle(LsmExtent extent) { of(extent.place).pinned -= extent.sectors; }
  void release(LsmExtent extent);
  /// A read or write ended: the zone may be dead.
  void look_at(std::uint64_t place) { suspects_.push_back(zone_of(place)); }

  /// A filled zone with nothing live and nothing on its way; it is being reset from now on.
  [[nodiscard]] std::optional<std::uint32_t> take_dead();
  void set_free(std::uint32_t zone);

  /// The zone with the most dead sectors, of those whose dead share is above `dead`.
  [[nodiscard]] std::optional<std::uint32_t> choose_victim(double dead) const;

  /// The zone is filled, with so many live sectors of files.
  void prefill(std::uint32_t zone, std::uint32_t live);
  /// After a power cut: what the drive says, before the files' and the log's extents are counted by keep().
  void restore(std::uint32_t zone, std::uint32_t pointer);
  void keep(LsmExtent extent, bool pinned);
  /// All are counted: zones that have room are open again for their life, one each.
  void reopen();

 private:
  std::uint32_t zone_sectors_;
  std::vector<LsmZone> zones_;
  std::optional<std::uint32_t> open_[lsm_lives];
  std::vector<std::uint32_t> suspects_;
  std::uint32_t free_;
  std::uint32_t least_free_;
  std::uint64_t version_ = 1;
};

}  // namespace tessera
