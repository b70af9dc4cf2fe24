#pragma once
// Records in slots that do not count any more, and how a power cut learns of it.
//
// A slot keeps the record of its last sector until another one is written there. As long as a newer copy of that sector is in the
// buffer, the old one does no harm. A write-back makes the newest copy void: before its slot is given away, all older ones must be void,
// too. The watermark of the zone cannot say that here, as blocks of the zone stay in the high-frequency buffer. So every record that
// is out of date and not overwritten yet gets a mark in the log, at the latest with the next write-back.
#include <cstdint>
#include <span>
#include <vector>

#include "firmware/tables/dram_table.hpp"
#include "firmware/zones/zone_map.hpp"

namespace tessera::amphisbaena {

class StaleRecords final : public ZoneNotes {
 public:
  /// Bytes of a checkpoint for each slot.
  static constexpr std::uint64_t slot_bytes = sizeof(std::uint64_t);

  /// Records of `count` slots from `first` on are void up to sequence number `until`.
  struct Run {
    std::uint32_t first = 0;
    std::uint32_t count = 0;
    std::uint64_t until = 0;
  };

  StaleRecords(MemoryPort& memory, std::uint32_t slots, std::uint32_t sector_bytes);

  /// The slot's record, which is not newer than `until`, is out of date.
  void add(std::uint32_t slot, std::uint64_t until);
  /// The slot has a new record.
  void overwritten(std::uint32_t slot);
  /// The log says that these records are void.
  void settle(const Run& run);
  /// Whether a record that was found at boot counts.
  [[nodiscard]] bool counts(std::uint32_t slot, std::uint64_t sequence) const { return sequence > until_.peek(slot); }
  [[nodiscard]] std::uint64_t newest() const;

  /// Records that the log does not know of are so many that a note may have no room for all of them.
  [[nodiscard]] bool crowded() const { return pending_count_ > most_runs_ / 2; }
  void begin_note() { note_.clear(); }
  /// Moves those records to the note, oldest first, as many as there is room for.
  void fill_note();
  /// Runs that a note has room for.
  [[nodiscard]] std::size_t most_runs() const { return most_runs_; }
  /// Adds a run to the note; false when it is full.
  bool add_to_note(const Run& run);
  [[nodiscard]] std::span<const std::byte> note() const { return std::as_bytes(std::span(note_)); }

  [[nodiscard]] Bytes table_bytes() const { return Bytes(bytes()) + pending_.bytes() + Bytes((is_pending_.size() + 63) / 64 * 8); }

  // The log's checkpoints and changes
  [[nodiscard]] std::uint64_t bytes() const override { return until_.size() * slot_bytes; }
  void save(std::span<std::byte> image) const override;
  void load(std::span<const std::byte> image) override;
  void replay(std::uint32_t zone, std::span<const std::byte> note) override;

 private:
  DramArray<std::uint64_t> until_;  // by slot
  DramLists pending_;
  DramBitmap is_pending_;
  std::size_t pending_count_ = 0;
  std::size_t most_runs_;  // in a sector of the log
  std::vector<Run> note_;
};

}  // namespace tessera::amphisbaena
