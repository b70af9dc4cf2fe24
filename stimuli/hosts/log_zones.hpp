#pragma once
// The tables of a log-structured host: where each sector is, what each zone holds, and what the zones' own headers say.
//
// What is lost with the host's memory and what lies on the drive are apart: map and zones are rebuilt from records and owners, which are
// the headers on the drive. Only what lies below a zone's write pointer counts then.
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/units.hpp"
#include "stimuli/hosts/log_layout.hpp"
#include "stimuli/hosts/log_map.hpp"

namespace tessera {

enum class LogZoneUse : std::uint8_t { free, open, filled, cleaned };

struct LogZone {
  LogZoneUse use = LogZoneUse::free;
  bool prefilled = false;          ///< not reset since mkfs: its sectors lie by the law of LogPrefill
  bool doubtful = false;           ///< some of its dead sectors may not be readable
  std::uint32_t pointer = 0;       ///< sectors written or on their way
  std::uint32_t live = 0;          ///< of these, sectors that the map names
  std::uint32_t reads = 0;         ///< on their way
  std::uint32_t writes = 0;        ///< on their way
  std::uint64_t first_record = 0;  ///< sequence of its first record since its reset; 0: prefilled, or empty
  Picoseconds youngest;            ///< when its youngest data was written by the application
};

struct TrimmedRun {
  LogSector first = 0;
  std::uint64_t count = 0;
};

/// A header on the drive, without the owners of its sectors.
struct LogRecord {
  std::uint64_t sequence = 0;  ///< from 1, over all zones
  std::uint32_t first = 0;     ///< sector of the header, from the zone's begin
  std::uint32_t sectors = 0;   ///< header, data and what fills a zone up
  bool done = false;           ///< the drive has acknowledged it
  Picoseconds youngest;
  std::vector<TrimmedRun> trims;
  std::vector<LogSector> lost;  ///< sectors that are so from this record on
  [[nodiscard]] std::uint32_t end() const { return first + sectors; }
};

class LogZones {
 public:
  explicit LogZones(const LogLayout& layout);

  /// A place, nowhere or lost_place.
  [[nodiscard]] LogPlace place(LogSector sector) const { return map_.place(sector); }
  [[nodiscard]] LogSector owner(LogPlace place) const;
  [[nodiscard]] bool live(LogPlace place) const;
  /// The sector is at this place from now on, or nowhere, or lost.
  void move(LogSector sector, LogPlace place);

  [[nodiscard]] std::span<const LogZone> zones() const { return zones_; }
  [[nodiscard]] LogZone& zone(std::uint32_t zone) { return zones_[zone]; }
  [[nodiscard]] const LogZone& zone(std::uint32_t zone) const { return zones_[zone]; }
  [[nodiscard]] std::uint32_t zone_of(LogPlace place) const { return static_cast<std::uint32_t>(place / layout_.zone_sectors); }
  [[nodiscard]] LogPlace first_place(std::uint32_t zone) const { return LogPlace{zone} * layout_.zone_sectors; }
  [[nodiscard]] std::uint32_t free_zones() const { return free_; }
  /// The first free zone, open from now on.
  [[nodiscard]] std::uint32_t open_first_free();
  /// It was reset.
  void set_free(std::uint32_t zone);

  /// A record at the zone's pointer, which moves; its data sectors are those of `owners`, with `fill` sectors of nothing after them.
  LogRecord& append(std::uint32_t zone, std::uint64_t sequence, std::span<const LogSector> owners, std::uint32_t fill);
  [[nodiscard]] std::vector<LogRecord>& records(std::uint32_t zone) { return records_[zone]; }
  /// The drive has acknowledged the zone's record.
  void set_done(std::uint32_t zone, std::uint64_t sequence);
  /// The power failed: the drive may have lost later records that it had acknowledged.
  void set_done_up_to(std::uint64_t sequence);

  /// As mkfs and use leave it: the first `sectors` of the user space lie in order in the zones up to `zones`, and dead records evenly
  /// among them.
  void prefill(std::uint64_t sectors, std::uint32_t zones);

  // For checkpoints and recovery.
  [[nodiscard]] const LogMap& map() const { return map_; }
  /// The drive says that so many sectors of the zone are written: nothing else is there.
  void cut_off(std::uint32_t zone, std::uint32_t pointer);
  /// Records of which nobody knows whether the drive has all of them, as it need not write in order: they stay written, and dead.
  void drop_unacknowledged(std::uint32_t zone);
  /// Of the zone's last record only so many sectors, header included, were written whole: the others stay written, and dead.
  void cut_last_record(std::uint32_t zone, std::uint32_t sectors);
  /// Map and zones from the checkpoint `map` of record `sequence` and the records after it. Gives how many these are, and the last one's
  /// number in `last`.
  std::uint64_t rebuild(const LogMap& map, std::uint64_t sequence, std::uint64_t& last);

 private:
  std::vector<LogSector>& owners_of(std::uint32_t zone);
  [[nodiscard]] std::uint32_t prefilled_in(std::uint32_t zone) const;

  LogLayout layout_;
  LogMap map_;
  std::vector<LogZone> zones_;
  std::vector<std::vector<LogSector>> owners_;   // by zone, made when it is first written
  std::vector<std::vector<LogRecord>> records_;  // by zone, in order; none of what is prefilled
  std::uint32_t prefilled_ = 0;                  // zones
  std::uint32_t free_;
};

/// The zone to clean: filled, all on the drive, and with so few live sectors that moving them, with their headers, takes less than the
/// zone. One without live sectors comes first; equal ones in their order.
[[nodiscard]] std::optional<std::uint32_t> choose_victim(std::span<const LogZone> zones, const LogLayout& layout, LogCleaning cleaning,
                                                         Picoseconds now);

}  // namespace tessera
