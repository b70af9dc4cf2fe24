#pragma once
// A host that keeps an application's sectors in a log-structured merge tree, as a key-value store on zones does (RocksDB on ZenFS; their
// designs, none of their code). A sector's number is the key, its data the value.
//
// A write goes to a table in host memory and to a log on the drive. A full table becomes a file of level 0, and compactions merge files
// into larger and larger levels: only there what was overwritten or trimmed ceases to take space. Files of one lifetime share zones; a zone
// is reset when nothing in it is live, and zones that are mostly dead are collected. The manifest on the drive says which files there are;
// the tree in host memory is always what the manifest says.
#include <boost/unordered/unordered_flat_map.hpp>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "stimuli/hosts/application_side.hpp"
#include "stimuli/hosts/drive_commands.hpp"
#include "stimuli/hosts/host_progress.hpp"
#include "stimuli/hosts/host_requests.hpp"
#include "stimuli/hosts/lsm_merge.hpp"
#include "stimuli/hosts/lsm_zones.hpp"
#include "stimuli/hosts/translating_host.hpp"

namespace tessera {

class LsmHost final : public TranslatingHost, private TimelineListener {
 public:
  /// `layout` from plan_lsm() of the same configuration and drive.
  LsmHost(const LsmHostConfig& config, const HostCpuConfig& cpu, const DriveZones& drive, const LsmLayout& layout, Timeline& timeline,
          HostLink& link);

  void set_receiver(std::function<void(HostRequest&)> receiver) override { application_.set_receiver(std::move(receiver)); }
  void issue(HostRequest& request) override;
  void abort(HostRequest& request) override;
  void power_lost() override;
  [[nodiscard]] std::uint64_t user_sectors() const override { return layout_.user_sectors; }
  [[nodiscard]] std::uint64_t prefill(std::uint64_t sectors) override;
  void recover(std::function<void(Status)> recovered) override;
  void completed(HostRequest& command) override { commands_.completed(command); }
  void application_ended() override { ended_ = true; }
  [[nodiscard]] bool idle() const override;
  void report(MetricSet& metrics) const override;

  [[nodiscard]] const LsmTree& tree() const { return tree_; }
  [[nodiscard]] const LsmZones& zones() const { return zones_; }

 private:
  /// A request of the application, by tag.
  struct Request {
    HostRequest* request = nullptr;
    std::uint32_t open = 0;             ///< reads that it waits for
    std::uint64_t next = 0;             ///< of a write or TRIM: the first sector that is not in a table
    std::optional<std::uint64_t> edge;  ///< of a write: the sector that `edge_content` is of
    std::vector<std::byte> edge_content;
    bool edge_pending = false;
    bool flushing = false;  ///< it waits for the drive's FLUSH
    Picoseconds stalled;    ///< stalled_time() at its arrival
    Status status = Status::ok;
  };
  struct Value {
    bool deleted = false;
    bool lost = false;               ///< the log has it, but it cannot be read
    std::vector<std::byte> content;  ///< kept content, in modes that keep any
  };
  struct Table {
    std::uint64_t generation = 1;
    std::uint64_t filled = 0;  ///< sectors that were written to it: older versions take space, too
    std::uint64_t deletes = 0;
    boost::unordered_flat_map<std::uint64_t, Value> values;  // iterated to be sorted alone
  };
  /// A write or deletion that is not in the log yet.
  struct Logged {
    std::uint64_t key = 0;
    bool deleted = false;
    std::uint64_t generation = 0;
    std::uint64_t order = 0;
    Picoseconds since;
    std::vector<std::byte> content;
  };
  /// Of the log, on the drive or on its way: header sectors, the data in the order of the keys, and the header once more. Without keys it
  /// fills the rest of a zone that has no room for three sectors.
  struct Record {
    std::uint64_t sequence = 0;
    std::uint64_t generation = 0;
    std::uint64_t order = 0;  ///< of its last write
    LsmExtent at;
    std::uint32_t header = 1;                          ///< sectors; as many at the end, where it has keys
    std::vector<std::pair<std::uint64_t, bool>> keys;  ///< and whether it is deleted
    bool done = false;
    [[nodiscard]] bool copied() const { return !keys.empty(); }
  };
  /// A FLUSH, or a write that is to be durable when it ends.
  struct Sync {
    std::uint32_t tag = 0;
    std::uint64_t order = 0;
    bool flushes = false;
  };
  struct Found {
    bool known = false;            ///< some table or file says something of the key
    bool lost = false;             ///< that its data could not be read when it was to be moved
    const Value* value = nullptr;  ///< in host memory
    std::optional<std::uint64_t> place;
  };
  struct Piece {
    HostRun blocks;
    std::uint32_t offset = 0;  ///< in the request's blocks
    std::uint64_t place = 0;
    bool wanted = true;  ///< false: a filter was wrong
  };

  /// A file in the making.
  struct Output {
    std::vector<std::uint64_t> keys;
    std::vector<std::uint64_t> deleted;
    std::vector<std::uint64_t> lost;
    std::vector<LsmExtent> extents;
    std::uint64_t grandparents = 0;  ///< sectors of files that it overlaps
    std::uint64_t last = 0;          ///< key
    std::uint32_t writes = 0;        ///< on their way
    bool closed = false;             ///< all of it was sent
    [[nodiscard]] std::uint64_t entries() const { return keys.size() + deleted.size(); }
  };
  struct Batch {
    std::vector<LsmMergeItem> items;
    std::uint32_t reads = 0;
    std::vector<std::byte> content;
    std::shared_ptr<Output> output;
    bool closes = false;     ///< its file ends with it
    std::uint32_t size = 0;  ///< sectors, with the index where the file ends
    std::uint32_t sent = 0;
  };
  /// A flush of a table, or a compaction.
  struct Job {
    bool active = false;
    bool flushes = false;
    LsmChoice choice;
    LsmFilePtr table;  ///< of a flush: as a file without a place
    std::vector<std::byte> table_content;
    std::uint64_t generation = 0;
    std::unique_ptr<LsmMerge> merge;
    std::vector<LsmFilePtr> passed;  ///< of the level that it merges into: files that may still be there
    LsmTree::Level grandparents;
    std::size_t grandparent = 0;
    std::deque<std::shared_ptr<Batch>> batches;
    std::deque<std::shared_ptr<Output>> outputs;
    std::shared_ptr<Output> output;  ///< that the next batch goes on with
    std::uint32_t writes = 0;
    bool merged = false;  ///< all of it is in batches
    bool ending = false;  ///< the last change is on its way to the manifest
    Picoseconds begin;
  };
  struct Edit {
    std::vector<LsmChange> changes;
    std::optional<std::uint64_t> flushed;  ///< tables up to this generation are in files
    std::function<void()> then;
  };
  struct Manifest {
    bool valid = false;
    std::uint32_t pointer = 0;   ///< sectors written or on their way
    std::uint32_t snapshot = 0;  ///< sectors of these that say all that there was
    std::uint32_t first = 0;     ///< sector that it begins at
  };
  struct Moved {
    LsmFilePtr file;  ///< as it was
    LsmExtent from;
    LsmExtent piece;
    bool last = false;  ///< of the extent
    std::uint32_t reads = 0;
    std::vector<std::byte> content;
    std::vector<std::uint64_t> lost;  ///< keys: the extent before it may still be on its way
  };
  struct Collection {
    std::optional<std::uint32_t> zone;
    std::deque<Moved> waiting;
    std::deque<std::shared_ptr<Moved>> read;  ///< or being read
    std::vector<LsmExtent> to;                ///< of the extent that is being written
    std::vector<std::uint64_t> lost;          ///< keys of it
    std::uint32_t writes = 0;
    std::uint32_t commits = 0;
    Picoseconds begin;
  };
  /// Of a manifest.
  struct RecoveryRead {
    std::uint32_t manifest = 0;
    std::uint32_t copy = 0;
    std::uint32_t sector = 0;
    std::uint32_t sectors = 0;
    bool may_fail = false;  ///< it was being written when the power failed
  };
  struct Recovery {
    std::function<void(Status)> done;
    Picoseconds begin;
    std::vector<std::uint32_t> manifest_pointers;  ///< of each manifest its copies
    std::vector<std::uint32_t> pointers;
    std::deque<RecoveryRead> reads;
    std::size_t record = 0;          ///< of the log
    std::vector<std::byte> content;  ///< of the record, where it is read sector by sector
    std::vector<bool> unread;        ///< its sectors, from the first one on
    Table table;
  };
  struct Counts {
    HostCounts host;
    std::uint64_t log = 0, log_headers = 0, flushed = 0, compacted = 0, index = 0, moved = 0, manifest = 0, read_to_merge = 0;
    std::uint64_t flushes = 0, compactions = 0, file_moves = 0, collections = 0, dropped = 0, lost = 0, in_memory = 0, in_vain = 0,
                  replayed = 0;
    std::uint64_t peak_entries = 0, peak_sectors = 0;
  };

  void on_time(std::uint64_t argument) override;
  void proceed();
  void stop_writing();
  void end_recovery();

  // lsm_host.cpp: the application's requests
  void read(Request& request);
  void read_piece(std::uint32_t tag, const Piece& piece);
  void change_in_order();
  [[nodiscard]] bool change(Request& request);
  [[nodiscard]] bool table_has_room();
  [[nodiscard]] bool edge_known(Request& request, std::uint64_t sector);
  void put(std::uint64_t key, bool deleted, std::vector<std::byte> content);
  void flush(Request& request);
  void finish(Request& request, Status status, const RequestLife* life = nullptr);
  [[nodiscard]] Picoseconds stalled_time() const { return stalled_.time(timeline_.now()); }

  // lsm_lookup.cpp
  [[nodiscard]] Found find(std::uint64_t key, std::vector<std::uint64_t>* in_vain);
  [[nodiscard]] bool filter_is_wrong(std::uint64_t key, const LsmFile& file) const;

  // lsm_log.cpp
  void write_log();
  [[nodiscard]] bool wants_to_log();
  [[nodiscard]] bool write_record();
  void send_record(Record record, std::vector<std::byte> content);
  void check_syncs();
  void forget_log(std::uint64_t generation);
  [[nodiscard]] static std::uint64_t header_tag(std::uint64_t sequence) { return std::uint64_t{1} << 61 | sequence; }

  // lsm_job.cpp: flushes and compactions
  void begin_flush();
  void begin_compaction();
  void advance(Job& job);
  void gather(Job& job);
  void read_batch(const std::shared_ptr<Batch>& batch);
  void read_of_file(const std::shared_ptr<Batch>& batch, const LsmFile* file, std::uint32_t at, LsmExtent run);
  void write_batches(Job& job);
  [[nodiscard]] bool write_some(Job& job, Batch& batch);
  void install_outputs(Job& job);
  void end_job(Job& job, std::vector<LsmChange> changes);
  [[nodiscard]] LsmLife life_of(std::uint32_t level) const;
  [[nodiscard]] bool crosses_grandparents(Job& job, std::uint64_t key) const;
  [[nodiscard]] bool short_of_space() const;

  // lsm_manifest.cpp
  void commit(Edit edit);
  void write_manifest();
  void write_edits();
  void send_copies(HostOp op, std::uint32_t manifest, std::uint32_t sector, std::uint32_t sectors, std::function<void()> then);
  void write_snapshot(std::function<void()> then);
  void write_snapshot_from(std::uint32_t sector, std::function<void()> then);
  void apply(Edit& edit);
  [[nodiscard]] std::uint32_t snapshot_sectors() const;

  // lsm_collector.cpp
  void collect();
  [[nodiscard]] bool begin_collection();
  void read_moved(const std::shared_ptr<Moved>& moved, LsmExtent run);
  void move_pieces();
  void reset_dead_zones();

  // lsm_recovery.cpp
  void zones_reported(const HostRequest& report);
  void read_manifest();
  void read_next_of_manifest();
  void read_last_edit(std::uint32_t copy);
  [[nodiscard]] std::uint32_t copy_with(std::uint32_t manifest, std::uint32_t sector, std::uint32_t copy) const;
  void read_log();
  void read_record_sector();
  void record_read(const std::vector<std::byte>& content);
  void rebuild();

  [[nodiscard]] HostRun blocks_of(LsmExtent extent) const;
  [[nodiscard]] HostRun manifest_blocks(std::uint32_t manifest, std::uint32_t copy, std::uint32_t sector, std::uint32_t sectors) const;
  void read_place(LsmExtent extent, CommandPriority priority, DriveCommands::Done done);
  void write_place(LsmExtent extent, CommandPriority priority, std::vector<std::byte> content, std::function<void()> done);

  LsmHostConfig config_;
  HostCpuConfig cpu_cost_;
  DriveZones drive_;
  SectorView view_;
  LsmLayout layout_;
  Timeline& timeline_;
  DriveCommands commands_;
  ApplicationSide application_;

  LsmTree tree_;
  LsmZones zones_;
  Table active_;
  std::deque<Table> immutable_;  // oldest first
  std::uint64_t next_file_ = 1;
  std::uint64_t wrong_per_65536_;  // of filters

  std::vector<Request> requests_;      // by tag
  std::deque<std::uint32_t> changes_;  // tags of writes and TRIMs, in order of arrival
  std::vector<Sync> syncs_;

  std::deque<Logged> pending_;
  std::uint64_t order_ = 0;   // of the last write
  std::uint64_t forced_ = 0;  // writes up to this go to the log at once
  std::deque<Record> log_;    // in order
  std::uint64_t sequence_ = 0;
  std::uint64_t durable_record_ = 0;  // of the log, by number: a FLUSH of the drive came after it
  std::uint64_t flushed_ = 0;         // generation: as the manifest says
  std::uint32_t records_in_flight_ = 0;
  bool log_alarm_ = false;

  Job flush_job_;
  Job compaction_;
  bool tree_changed_ = true;
  Collection collection_;
  std::uint64_t seen_zones_ = 0;  // version that the last search for a zone to collect saw

  Manifest manifests_[2];
  std::uint32_t manifest_ = 0;  // the one that counts
  std::deque<Edit> edits_;
  std::deque<Edit> written_edits_;            // on their way, in one sector,
  std::optional<std::uint32_t> edit_sector_;  // this one, once it was sent
  bool manifest_busy_ = false;
  std::unique_ptr<Recovery> recovery_;

  bool ended_ = false;
  Rounds rounds_;
  StallClock stalled_;
  HostCpu cpu_;
  Counts counts_;
};

}  // namespace tessera
