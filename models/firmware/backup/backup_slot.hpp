#pragma once
// One place where tracks' sectors are saved before a write destroys them (Hajkazemi et al., section 2.1), with the staging buffer of the
// read-modify-write that has it. The record that says whose they are rides in the out-of-band bytes of every saved sector, so that one
// that cannot be read costs no other.
//
// Only the slot's newest record counts. A new one never overwrites the newest, so that a cut while it is written leaves that one
// whole; the slot's tracks are used in turn. A record whose sectors the host then writes directly is voided first.
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "firmware/backup/backup_record.hpp"
#include "firmware/layout/conventional_layout.hpp"
#include "firmware/translation_layer.hpp"

namespace tessera {

/// Numbers of backup records, which tell the order in which those of all slots were written.
class RecordNumbers {
 public:
  [[nodiscard]] std::uint64_t next() { return ++last_; }
  /// Boot: this number was found on the platters.
  void found(std::uint64_t number) { last_ = number > last_ ? number : last_; }

 private:
  std::uint64_t last_ = 0;
};

class BackupSlot {
 public:
  /// Sectors [first, first + sectors) of `layout`, whole tracks; none where nothing is to be saved.
  struct Place {
    const ConventionalLayout& layout;
    std::uint64_t first = 0;
    std::uint64_t sectors = 0;
  };
  BackupSlot(MediaPort& media, const Place& place, RecordNumbers& numbers, DataBuffer staging);

  /// The first `sectors` of the staging buffer.
  [[nodiscard]] DataSpan staged(std::uint32_t sectors) { return staging_.part(0, sectors); }
  /// Where the staging buffer has run `which` of `saved`.
  [[nodiscard]] DataSpan staged(const Neighbours& saved, std::uint32_t which) {
    return staging_.part(saved.sectors_before(which), saved.runs[which].count);
  }

  // For whoever has the slot.
  /// Makes sure that a record of `sectors` will not overwrite the newest one.
  Task<Status> make_room(std::uint32_t sectors);
  /// Adds the steps that save what is staged, the content of `saved` one after another, before `target` is written.
  void add_steps(MediaChain& chain, const PhysicalRun& target, const Neighbours& saved);
  /// To be told once those steps are done: the record is the newest from here on.
  void commit();
  /// Takes the newest record out of force.
  Task<Status> void_record();

  /// Whether the newest record describes a sector of one of `runs` and would be applied at recovery.
  [[nodiscard]] bool describes(std::span<const PhysicalRun> runs) const;

  // Boot after a power cut.
  /// Looks at the whole slot for its newest record.
  Task<void> find_newest();
  [[nodiscard]] std::uint64_t newest_number() const { return number_; }
  /// Puts back what was destroyed of what the newest record describes, and voids the record.
  Task<Status> restore();

  [[nodiscard]] std::uint64_t sectors_written() const { return sectors_written_; }
  [[nodiscard]] std::uint64_t voids() const { return voids_; }

 private:
  /// A record on the slot's sectors taken as a ring.
  struct Extent {
    std::uint64_t start = 0;
    std::uint32_t count = 0;
    [[nodiscard]] std::uint64_t last(std::uint64_t ring) const { return (start + count - 1) % ring; }
  };
  [[nodiscard]] PhysicalRun place(std::uint64_t position, std::uint32_t count) const;
  [[nodiscard]] Extent next_track() const;
  [[nodiscard]] Extent next_extent(std::uint32_t sectors, std::uint64_t angle) const;
  [[nodiscard]] bool overwrites_newest(const Extent& extent) const;
  void note(std::uint64_t position, const std::optional<LogRecord>& record);
  Task<Status> fill_in(std::uint32_t& came_back);
  Task<Status> read_back(std::uint32_t first, DataSpan data);

  MediaPort& media_;
  RecordNumbers& numbers_;
  const ConventionalLayout& layout_;
  std::uint64_t first_;
  std::uint64_t ring_;  ///< sectors
  DataBuffer staging_;
  std::uint64_t number_ = 0;  ///< of the newest record
  Extent newest_;
  Neighbours described_;           ///< by the newest record; none when it is void
  std::uint64_t next_number_ = 0;  ///< of the record that is being written
  Extent next_;
  Neighbours next_described_;
  std::vector<SectorHeader> headers_;  // of sectors on their way
  std::uint64_t sectors_written_ = 0;
  std::uint64_t voids_ = 0;
};

}  // namespace tessera
