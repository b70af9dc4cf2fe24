#pragma once
// The host of an array: what an application asks of one space of blocks becomes commands to several drives.
//
//   application --(HostFront)-- ArrayHost --(DriveQueue, HostLink)-- drive 0 .. n-1, spares
//
// A request falls into parts, one a row for writes and one a chunk for reads; each is a task (array_task.hpp). A drive that fails is
// replaced by what the others hold, and rebuilt on a spare if there is one.
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "base/content.hpp"
#include "base/metrics.hpp"
#include "stimuli/arrays/array_config.hpp"
#include "stimuli/arrays/array_counts.hpp"
#include "stimuli/arrays/array_layout.hpp"
#include "stimuli/arrays/bad_blocks.hpp"
#include "stimuli/arrays/drive_queue.hpp"
#include "stimuli/arrays/row_journal.hpp"
#include "stimuli/arrays/row_locks.hpp"
#include "stimuli/arrays/row_sweep.hpp"
#include "stimuli/player/host_front.hpp"

namespace tessera {

class ArrayTask;

/// A drive as the array finds it.
struct ArrayDrive {
  HostLink* link = nullptr;
  std::uint32_t tags = 32;
  bool forgets = false;           ///< what its write cache holds, when its power is lost
  bool zeros_after_trim = false;  ///< as FirmwareConfig has it
};

/// Why the array does without a drive.
enum class DriveFault : std::uint8_t {
  silent,       ///< it had a command for longer than the time-out
  write_error,  ///< it failed a write or a FLUSH, and may keep no more bad places
  read_errors,  ///< it failed more reads than it may
  no_boot       ///< its firmware could not read, or write, what it keeps twice
};

class ArrayHost final : public HostFront, private TimelineListener {
 public:
  /// `drives`: those of the layout, then the spares. The layout leaves the journal its room.
  ArrayHost(const ArrayHostConfig& config, const ArrayLayout& layout, std::uint32_t sector_blocks, Timeline& timeline,
            const std::vector<ArrayDrive>& drives, ContentMode content);
  ~ArrayHost() override;

  void issue(HostRequest& request) override;
  void abort(HostRequest& request) override;
  void set_receiver(std::function<void(HostRequest&)> receiver) override { receiver_ = std::move(receiver); }
  /// Of the host and all drives.
  void power_lost() override;
  /// All drives answer again: rows in doubt are put right as far as can be, then `recovered` is called. A rebuild goes on.
  void recover(std::function<void()> recovered);

  /// A drive completed a command at now().
  void completed(std::uint32_t drive, HostRequest& command) { queues_[drive]->completed(command); }
  /// From now on it answers nothing. A spare takes its place, if there is one. A spare on which a rebuild goes on may fail as well.
  void drive_failed(std::uint32_t drive);
  /// One drive's power is gone for a while, and the host's is not.
  void drive_suspended(std::uint32_t drive) { queues_[drive]->suspend(); }
  void drive_resumed(std::uint32_t drive) { queues_[drive]->resume(); }

  void start_scrub();
  /// Compares every row that was written since the start, as fast as it goes. While no request is under way.
  void audit(std::function<void(RowAudit)> ended);

  /// Told of a drive that the array does without from now on: it may be switched off once what it is doing has returned.
  void set_thrown_out_listener(std::function<void(std::uint32_t drive, DriveFault why)> listener);
  /// Told when a rebuild begins and ends.
  void set_rebuild_listener(std::function<void(bool begins)> listener) { rebuild_listener_ = std::move(listener); }
  [[nodiscard]] bool rebuilding() const { return rebuild_.has_value() || !waiting_rebuilds_.empty(); }
  [[nodiscard]] bool scrubbing() const { return scrub_ != nullptr; }
  /// The share that is done of the rebuild that goes on, or else of the scrub.
  [[nodiscard]] double sweep_done() const;
  [[nodiscard]] bool idle() const { return tasks_.empty(); }
  [[nodiscard]] const ArrayLayout& layout() const { return layout_; }
  [[nodiscard]] const DriveQueue& queue(std::uint32_t drive) const { return *queues_[drive]; }
  [[nodiscard]] const ArrayCounts& counts() const { return counts_; }
  [[nodiscard]] const std::vector<RebuildRecord>& rebuilds() const { return rebuilds_; }
  void reset_statistics();
  /// What requests and commands did so far belongs to the warm-up; rows that were lost, put right or compared count all the same.
  void end_warmup();
  /// Adds array.*.
  void report(MetricSet& metrics) const;

 private:
  friend class ArrayTask;
  friend class ReadTask;
  friend class WriteTask;
  friend class CopyTask;
  friend class RestoreTask;
  friend class RebuildTask;
  friend class RepairTask;
  friend class CheckTask;
  friend class FlushTask;
  friend class ReplayTask;
  friend class TrimTask;

  struct Open {
    HostRequest* request = nullptr;
    std::uint32_t parts = 0;  // that are not done
    Status status = Status::ok;
    std::uint32_t failed_at = ~std::uint32_t{0};  // of the errors of several parts, that of the first blocks counts, whichever came first
  };
  /// What is computed again, onto a spare or onto spare places.
  struct Rebuild {
    DriveSlot slot;
    std::optional<std::uint32_t> spare;
    std::shared_ptr<RowSweep> sweep;
  };
  /// A slot whose drive failed.
  struct Gone {
    std::optional<std::uint32_t> spare_place;  ///< where its content goes in each line
    bool rebuilt = false;                      ///< all of it is there
  };

  /// A command as an answer to it is judged.
  struct SentCommand {
    ArrayRow row;
    std::uint32_t member = 0;
    std::uint32_t drive = 0;
    ChunkRange range;     ///< of the row; empty: of none
    bool judged = false;  ///< whether an error of it is the drive's
  };
  /// What a drive has failed so far.
  struct ReadErrors {
    std::uint64_t count = 0;
    Picoseconds last;
  };

  void start(std::unique_ptr<ArrayTask> task);
  [[nodiscard]] std::unique_ptr<ArrayTask> end(const ArrayTask& task);
  /// `offset`: of the part in the request.
  void part_done(std::uint32_t tag, std::uint32_t offset, Status status, const RequestLife& life);
  void finish(Open& open);
  void flush(std::uint32_t tag);
  void on_time(std::uint64_t) override;
  /// The drive that holds a member of a row; nothing where it is missing.
  [[nodiscard]] std::optional<std::uint32_t> drive_of(ArrayRow row, std::uint32_t member) const;
  /// The same, as if what is being rebuilt were there.
  [[nodiscard]] std::optional<std::uint32_t> rebuild_target(ArrayRow row, std::uint32_t member) const;
  /// The member of a row that a slot holds, as its own or in a spare place; nothing where it holds none.
  [[nodiscard]] std::optional<std::uint32_t> member_held_by(ArrayRow row, DriveSlot slot) const;
  [[nodiscard]] bool is_rebuilt(ArrayRow row, DriveSlot slot) const;
  [[nodiscard]] RebuildRecord& record_of(DriveSlot slot);
  /// Whose place a drive has, that of `own` where it is its drive or a spare that replaces it.
  [[nodiscard]] DriveSlot slot_of_drive(std::uint32_t drive, DriveSlot own) const;
  [[nodiscard]] std::vector<bool> missing_in(ArrayRow row) const;
  /// Whether more of some block of the range is missing than the array survives; also without a drive that is there.
  [[nodiscard]] bool beyond_rescue(ArrayRow row, ChunkRange range, std::optional<std::uint32_t> without = {}) const;
  /// Whether data would be lost without a drive.
  [[nodiscard]] bool needs(std::uint32_t drive) const;
  /// Draws the conclusions from an answer. The status becomes Status::aborted where the drive is thrown out, or its place is bad from now
  /// on.
  void judge(const SentCommand& sent, HostRequest& command);
  [[nodiscard]] Status judge_read(const SentCommand& sent);
  [[nodiscard]] Status judge_write(const SentCommand& sent);
  void throw_out(std::uint32_t drive, DriveFault why);
  /// Drives that must be flushed before a rebuild's writes to them are durable.
  [[nodiscard]] std::vector<std::uint32_t> rebuilt_on_caches() const;
  void checkpoint_rebuild();
  /// The application asks for its write on the platters: so are data, copies and parity.
  [[nodiscard]] bool durable(std::uint32_t tag) const { return open_[tag].request->force_unit_access; }
  [[nodiscard]] bool busy_since_asked();
  void ask_for_rebuild(DriveSlot slot);
  void spare_failed(std::uint32_t spare);
  void give_rebuild_up();
  void begin_rebuild();
  void end_rebuild();
  /// The row's members may be apart after a power cut, until the next FLUSH: write caches that forget hold its last write.
  void keep_in_doubt(ArrayRow row);
  void replay(std::vector<std::uint32_t> records, std::function<void()> ended);
  void check_rows(std::vector<ArrayRow> rows, bool repair, std::function<void(bool fits, bool compared)> each, std::function<void()> ended);
  void go_on_checking();
  void charge_parity(std::uint64_t blocks, std::uint32_t times) { counts_.parity_bytes += blocks * host_block_bytes * times; }

  ArrayHostConfig config_;
  ArrayLayout layout_;
  Timeline& timeline_;
  std::uint32_t kept_;  // bytes of content a block
  std::uint32_t sector_blocks_;
  std::vector<std::unique_ptr<DriveQueue>> queues_;
  std::vector<std::uint32_t> drive_in_;    // by slot
  std::vector<std::optional<Gone>> gone_;  // by slot: its drive failed and no other has taken its place
  std::uint32_t gone_slots_ = 0;           // how many of them
  std::uint32_t spare_places_taken_ = 0;
  std::vector<std::uint32_t> spares_;
  std::vector<DriveSlot> waiting_rebuilds_;
  std::optional<Rebuild> rebuild_;
  RowLocks locks_;
  RowJournal journal_;
  std::vector<Open> open_;  // by tag
  std::vector<std::unique_ptr<ArrayTask>> tasks_;
  std::function<void(HostRequest&)> receiver_;
  std::function<void(bool)> rebuild_listener_;
  std::shared_ptr<RowSweep> scrub_;
  std::set<std::uint64_t> written_;  // rows, where content is kept
  std::vector<ArrayRow> in_doubt_;   // their writes were under way as the power failed, or not flushed
  std::vector<bool> forgets_;        // by drive, as ArrayDrive::forgets
  bool caches_forget_ = false;       // of some drive
  bool trims_to_zeros_ = false;      // each drive
  std::set<std::uint64_t> unlike_;   // rows, where content is kept, whose copies may differ, as drives may keep what was trimmed or not
  BadBlocks bad_;
  std::vector<ReadErrors> read_errors_;                   // by drive
  std::set<std::pair<ArrayRow, std::uint32_t>> repairs_;  // under way, by row and drive
  std::function<void(std::uint32_t, DriveFault)> thrown_out_listener_;
  std::uint64_t writes_ended_ = 0;
  std::map<std::uint64_t, std::uint64_t> unflushed_;  // by row: which of the writes that ended was its last
  /// Rows that are compared while no request is under way.
  struct Checks {
    std::vector<ArrayRow> rows;
    std::size_t next = 0;
    std::size_t open = 0;
    bool repair = false;
    std::function<void(bool, bool)> each;
    std::function<void()> ended;
    bool going = false;
  };
  Checks checks_;
  RowAudit audit_;
  std::shared_ptr<RowSweep> finished_sweep_;
  std::uint32_t outstanding_ = 0;  // requests
  bool was_busy_ = false;
  bool serves_ = true;  // not from a power cut to the end of the recovery
  ArrayCounts counts_;
  std::vector<RebuildRecord> rebuilds_;
};

}  // namespace tessera
