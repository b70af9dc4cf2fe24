#pragma once
// A circular log of host data on conventional tracks. A record is a run of data sectors and a copy of the last of them. Its sequence
// number is its place in an endless log, of which the region holds the last `capacity` sectors; space is reused only after a superblock
// says that the log starts behind it, so that a torn write never hits a record that recovery would replay.
//
// Each sector's out-of-band bytes tell the whole record and those in front of it, and the copy is written last: a record that a cut left
// incomplete lacks a sector that can be read and holds something else. So a sector that cannot be read is told from one that was not
// written: it is lost alone, the last one not even that, and nothing older takes its place. Where so many records in a row cannot be read
// that nothing tells what the first of them were, there is no boot. Of the newest record of which no sector can be read nothing tells, not
// even that it was there; where a later boot can read it, it must not come back over what was written in its place: the superblock names
// an era, and where it began.
#include <cstdint>
#include <set>
#include <vector>

#include "firmware/layout/conventional_layout.hpp"
#include "firmware/locks/wait_queue.hpp"
#include "firmware/logs/journal_record.hpp"
#include "firmware/logs/superblock.hpp"
#include "firmware/tables/scratch_pool.hpp"
#include "firmware/translation_layer.hpp"

namespace tessera {

class Journal {
 public:
  /// `regions`: conventional tracks of the plan, at least least_sectors(); `most`: sectors of data that its owner has a place for at
  /// boot, two or more.
  Journal(const Ports& ports, const DriveGeometry& geometry, const FormatPlan& regions, std::uint64_t most);

  /// Superblocks, and a record of one sector.
  static constexpr std::uint64_t least_sectors = Superblock::sectors + 2;

  /// Sectors that it takes: of each record its data and one more.
  [[nodiscard]] std::uint64_t capacity() const { return capacity_; }
  /// Sectors between the start of the log as superblocks know it and its end.
  [[nodiscard]] std::uint64_t used() const { return head_ - start_; }
  /// Sequence number of the next record.
  [[nodiscard]] std::uint64_t head() const { return head_; }
  /// Sectors written, superblocks included.
  [[nodiscard]] std::uint64_t sectors_written() const { return sectors_written_; }

  /// Keeps the records of an append in the log, whatever release_before() is told meanwhile: its owner does not count them yet.
  class Pin {
   public:
    Pin() = default;
    Pin(const Pin&) = delete;
    Pin& operator=(const Pin&) = delete;
    ~Pin();
    [[nodiscard]] std::uint64_t sequence() const { return sequence_; }  ///< of the first sector appended

   private:
    friend class Journal;
    Journal* journal_ = nullptr;
    std::uint64_t sequence_ = 0;
    Pin* older_ = nullptr;
    Pin* newer_ = nullptr;
  };

  /// First boot, and after a replay: an empty log.
  Task<Status> format() { return write_start(head_); }
  /// After recover(): whether a record may lie behind the last one that a later boot can read, and this one could not. Then renew() or
  /// format() is to come before the next append, and makes it void.
  [[nodiscard]] bool in_doubt() const { return in_doubt_; }
  Task<Status> renew() { return write_start(start_); }
  /// Appends `run` with its data, durable on return; waits for space. run.count must be below capacity().
  Task<Status> append(LogicalRun run, DataSpan data, Pin& pin);
  /// Sectors in front of `sequence` are no longer needed, those behind the oldest pin excepted. Tell it again when a pin is gone.
  void release_before(std::uint64_t sequence);

  /// What of a record is still needed.
  struct Record {
    std::uint64_t sequence = 0;
    LogicalRun run;

    /// Of the log, with the copy.
    [[nodiscard]] std::uint32_t sectors() const { return run.count + 1; }
  };
  /// Nothing will be released any more: appends that find no room fail with `read_only` instead of waiting.
  void end_releases();
  /// Boot after a power cut: the records that count, oldest first. Leaves the log as it is; format() empties it. `corrupt` where a record
  /// cannot be read and nothing tells what it holds.
  Task<Status> recover(std::vector<Record>& records);
  /// A sector of a record that counts, of which neither itself nor a copy could be read: it may be lost, or never have been written.
  struct Unread {
    LogicalSector sector;
    PhysicalSector place;
  };
  /// After recover(); those that a later record has again excepted.
  [[nodiscard]] const std::vector<Unread>& unread() const { return unread_; }
  /// Data of a record from its sector `done` on; what cannot be read is marked as lost.
  Task<Status> read(const Record& record, std::uint32_t done, DataSpan data);
  /// Sectors of the log from number `sequence` on, copies among them, in the same way.
  Task<Status> read_run(std::uint64_t sequence, DataSpan data);

 private:
  static constexpr std::uint64_t superblocks = Superblock::sectors;
  /// What the sectors of a record, or the record behind it, tell of it.
  struct Found {
    std::uint64_t sequence = 0;         ///< of its first sector
    std::uint64_t first = 0;            ///< of the run
    std::vector<std::uint8_t> sectors;  ///< of the run, and the copy: 1 for those that tell it
  };
  using FoundRecords = std::vector<Found>;  // by sequence number, the order in which most are met

  using UnknownPositions = std::set<std::uint64_t>;  // of sectors that cannot be read, by sequence number

  Task<void> find_records(FoundRecords& found, UnknownPositions& unknown);
  void note_header(const JournalRecord& record, std::uint64_t position, FoundRecords& found) const;
  static Found& note_record(FoundRecords& found, std::uint64_t sequence, std::uint64_t first, std::uint64_t length);
  /// Whether the record was written to its end, as far as can be known: no sector of it that was read holds anything else.
  [[nodiscard]] bool counts(const Found& record, const UnknownPositions& unknown) const;
  void note_unread(const Record& record, const Found& found);
  /// Whether in front of one of them another may lie of which nothing tells.
  [[nodiscard]] bool untold(const FoundRecords& found, const UnknownPositions& unknown) const;
  [[nodiscard]] Task<Status> write_start(std::uint64_t start);
  [[nodiscard]] bool voided(const JournalRecord& record) const;
  [[nodiscard]] PhysicalRun place(std::uint64_t sequence, std::uint32_t count) const;
  Task<Status> make_space(std::uint32_t sectors);
  void attach(Pin& pin);
  void detach(Pin& pin);

  MediaPort& media_;
  ConventionalLayout layout_;
  Superblock superblock_;
  WaitQueue space_;
  ScratchPool<std::vector<SectorHeader>> headers_;
  std::uint64_t capacity_;
  std::uint64_t head_ = 0;       // end of the log
  JournalRecord::Named last_{};  // the newest records, of which the first ends at the head
  std::uint64_t era_ = 0;        // each record says its own; a new one begins where a boot was in doubt
  std::uint64_t era_begin_ = 0;  // number of its first sector: records of earlier eras from there on are void
  bool in_doubt_ = false;
  std::vector<Unread> unread_;
  std::uint64_t start_ = 0;  // as the newest superblock says
  std::uint64_t released_ = 0;
  std::uint64_t sectors_written_ = 0;
  bool moving_start_ = false;
  bool releases_ended_ = false;
  Pin* oldest_ = nullptr;
  Pin* newest_ = nullptr;
};

}  // namespace tessera
