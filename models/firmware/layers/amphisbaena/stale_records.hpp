#pragma once
// Records in slots that do not count any more, and how a power cut learns of it.
//
// A slot keeps the record of its last sector until another one is written there. As long as a newer copy of that sector is in the
// buffer, the old one does no harm. A write-back makes the newest copy void: before its slot is given away, all older ones must be void,
// too. The watermark of the zone cannot say that here, as blocks of the zone stay in the high-frequency buffer. So every record that
// is out of date and not overwritten yet gets a mark in the log, at the latest with the next write-back.
//
// Up to which sequence number the record of a slot is void follows from what the slot is used for (SlotRecords), so that DRAM has one bit a
// slot: whether the log is still to learn of it. A boot borrows room for the marks in the log until the slots have their owners.
#include <cstdint>
#include <span>
#include <vector>

#include "firmware/tables/dram_table.hpp"
#include "firmware/zones/zone_map.hpp"

namespace tessera::amphisbaena {

/// What of a slot's record counts.
class SlotRecords {
 public:
  virtual ~SlotRecords() = default;
  /// Records of the slot up to this sequence number are void, and no later one is; 0 where the slot is in use.
  [[nodiscard]] virtual std::uint64_t void_until(std::uint32_t slot) const = 0;
};

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
  /// To be called before anything else.
  void ask(const SlotRecords& records) { records_ = &records; }

  /// The slot's record is out of date.
  void add(std::uint32_t slot);
  /// The slot has a new record.
  void overwritten(std::uint32_t slot);
  /// The log says that these records are void.
  void settle(const Run& run);

  // At boot, until end_boot(): what the log says.

  /// Whether a record that was found counts.
  [[nodiscard]] bool counts(std::uint32_t slot, std::uint64_t sequence) const { return sequence > logged_until(slot); }
  [[nodiscard]] std::uint64_t newest() const;
  void end_boot() { logged_ = {}; }

  /// Records that the log does not know of are so many that a note may have no room for all of them.
  [[nodiscard]] bool crowded() const { return pending_count_ > most_runs_ / 2; }
  void begin_note() { note_.clear(); }
  /// Moves those records to the note, in the order of the slots, as many as there is room for.
  void fill_note();
  /// Runs that a note has room for.
  [[nodiscard]] std::size_t most_runs() const { return most_runs_; }
  /// Adds a run to the note; false when it is full.
  bool add_to_note(const Run& run);
  [[nodiscard]] std::span<const std::byte> note() const { return std::as_bytes(std::span(note_)); }

  [[nodiscard]] Bytes table_bytes() const { return Bytes(pending_.size() * sizeof(std::uint64_t)); }

  // The log's checkpoints and changes
  [[nodiscard]] std::uint64_t bytes() const override { return slots_ * slot_bytes; }
  void save(std::span<std::byte> image) const override;
  void load(std::span<const std::byte> image) override;
  void replay(std::uint32_t zone, std::span<const std::byte> note) override;

 private:
  [[nodiscard]] static std::uint64_t bit(std::uint32_t slot) { return std::uint64_t{1} << (slot % 64); }
  [[nodiscard]] std::uint64_t logged_until(std::uint32_t slot) const { return logged_.empty() ? 0 : logged_[slot]; }

  std::uint64_t slots_;
  const SlotRecords* records_ = nullptr;
  DramArray<std::uint64_t> pending_;  // bits by slot: a void record that the log does not know of
  std::size_t pending_count_ = 0;
  std::size_t most_runs_;  // in a sector of the log
  std::vector<Run> note_;
  std::vector<std::uint64_t> logged_;  // by slot, at boot
};

}  // namespace tessera::amphisbaena
