#pragma once
// The drive's write cache, a layer in front of any layer: writes are acknowledged from DRAM,
// overwrites of dirty sectors are absorbed, and neighbouring dirty sectors go to the inner layer in one write.
//
// Durability (docs/guide/power-cuts.md): `plp` keeps slots and their directory where the dump engine saves them; `journal` has the data
// in a log on the platters before the acknowledgement; `volatile` promises what FLUSH or FUA acknowledged. Of a dump that failed the
// directory counts as a whole or not at all; where it is there, the slots that were not saved are dirty and lost.
//
// With `edges = behind` a write that covers its first or last sector in part is acknowledged without a read: the slot says which blocks it
// holds, and the others come from the inner layer when the sector is read or destaged, if no later write has brought them by then. A
// sector whose others cannot be read stays in its slot, without holding up the rest, until it is written again or the drive boots. A FLUSH
// tries it once more, and fails where it still cannot be read: a dump may fail. No more than three quarters of the slots ever lack blocks
// (takes_parts()), so that the rest of them serve sound sectors whatever cannot be read.
//
// What the inner layer cannot write stays dirty. From then on, until the next boot, the cache destages nothing and takes no more writes:
// reads find everything where it is.
#include <algorithm>
#include <array>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/extent_allocator.hpp"
#include "base/parameter.hpp"
#include "firmware/caches/sector_groups.hpp"
#include "firmware/caches/segment_pool.hpp"
#include "firmware/locks/range_locks.hpp"
#include "firmware/locks/room_queue.hpp"
#include "firmware/locks/wait_queue.hpp"
#include "firmware/logs/journal.hpp"
#include "firmware/read_doubt.hpp"
#include "firmware/tables/dram_table.hpp"
#include "firmware/translation_layer.hpp"

namespace tessera {

enum class CacheDurability : std::uint32_t { plp, journal, volatile_memory };
enum class DestageOrder : std::uint32_t {
  elevator,    ///< one way by address
  first_come,  ///< by age
  positioning  ///< by age, `destage_depth` at once: the disk channel's policy chooses among them
};

/// When the blocks are read that a write leaves out of its first and last sector.
enum class EdgeReads : std::uint32_t {
  before,  ///< before it is acknowledged
  behind   ///< when the sector is read or leaves the cache; not with a journal, whose records hold whole sectors
};
void describe_edge_reads(ParameterVisitor& visitor, EdgeReads& edges);

struct WriteCacheConfig {
  Bytes capacity;       ///< 0: no cache
  bool yields = false;  ///< to a layer that has a write buffer of its own: who builds the firmware sets `capacity` to 0 then
  CacheDurability durability = CacheDurability::plp;
  DestageOrder order = DestageOrder::elevator;
  EdgeReads edges = EdgeReads::before;
  bool make_way = false;  // whether such reads behind are given up when the host reads, and done later; no parameter of the drive's cache
  std::uint32_t high_mark = 75;      // ours: a quarter is left for a burst while destaging goes on
  std::uint32_t low_mark = 50;       // ours: half of the cache keeps absorbing overwrites
  std::uint32_t trickle_mark = 100;  // percent dirty above which destages go on in the background; no parameter of the drive's cache
  std::uint32_t destage_depth = 8;
  Bytes largest_destage{std::uint64_t{2} << 20};  // a track of the drives of the MU-RMW and the interlaced paper
  Picoseconds idle_after{5'000'000'000};          // 5 ms: longer than the gaps inside a burst

  void describe(ParameterVisitor& visitor);
  /// A sentence why a cache of this description cannot run on `plan`, or nothing.
  [[nodiscard]] std::string problem(const FormatPlan& plan, std::uint32_t sector_bytes) const;
};

/// What a write cache's figures are called: there may be one in front of the layer and one inside it.
struct WriteCacheNames {
  const char* prefix;  ///< of its metrics
  GaugeInfo dirty;
};
inline constexpr WriteCacheNames drive_write_cache{"cache",
                                                   {"cache.dirty_sectors", "1", "sectors of the write cache that are not yet destaged"}};

/// Which sectors had better leave the cache before others.
class DestageOrderGuide {
 public:
  /// The sectors whose destage comes before that of `sector` if both are dirty.
  [[nodiscard]] virtual std::array<std::optional<LogicalSector>, 2> before(LogicalSector sector) = 0;

 protected:
  ~DestageOrderGuide() = default;
};

class WriteCache final : public TranslationLayer, public SegmentLender {
 public:
  /// `config.problem(plan)` must be empty.
  WriteCache(const WriteCacheConfig& config, const Ports& ports, const DriveGeometry& geometry, const FormatPlan& plan,
             TranslationLayer& inner, const WriteCacheNames& names = drive_write_cache);

  [[nodiscard]] std::uint64_t user_sectors() const override { return inner_.user_sectors(); }
  Task<Status> format() override;
  Task<Status> recover() override;
  Task<Status> read(LogicalRun run, DataSpan data) override { return read_parts(run, data, nullptr); }
  Task<Status> read_early(LogicalRun run, DataSpan data, EarlySectors& early) override;
  Task<Status> write(LogicalRun run, DataSpan data, WriteOptions options) override;
  /// Every sector is in the cache.
  bool holds(LogicalRun run) override;
  /// The write is acknowledged from the DRAM, without waiting for a slot.
  bool absorbs(LogicalRun run) override;
  bool takes_parts(LogicalRun run, std::uint32_t head, std::uint32_t tail) override;
  void received(LogicalRun run) override { inner_.received(run); }
  Task<Status> flush() override;
  Task<Status> trim(LogicalRun run) override;
  [[nodiscard]] LogicalRun first_held(LogicalRun run) override;
  Task<Status> reset(LogicalRun zone) override;
  void start_background() override;
  [[nodiscard]] bool idle() const override { return (dirty_ == 0 || (ended() && under_way_ == 0)) && inner_.idle(); }
  void prefill(std::uint64_t sectors) override { inner_.prefill(sectors); }
  void report(MetricSet& metrics) const override;

  void lend_to(SegmentBorrower& borrower) override { borrower_ = &borrower; }
  DataSpan lend(std::uint32_t first, std::uint32_t count) override;
  void take_back(DataSpan part) override;
  void part_came_free() override { wake_waiting(); }

  void guide(DestageOrderGuide& guide) { guide_ = &guide; }
  /// After recover(): sectors that the journal may have got from writes that the cut took, but cannot be read there.
  [[nodiscard]] std::vector<ReadDoubt> in_doubt() const override;
  /// Whether the newest copy of the sector is here, whole, and the inner layer's is of no use until it is destaged.
  [[nodiscard]] bool holds_newest(LogicalSector sector);

 private:
  using Index = DramLists::Index;
  /// Sectors side by side for the copy of a destage, given back at its end. None where there is no room: some is when a destage ends.
  class Staged {
   public:
    Staged(WriteCache& cache, std::uint32_t sectors) : cache_(cache), sectors_(sectors), first_(cache.staged_.take(sectors)) {}
    ~Staged() {
      if (first_) cache_.staged_.give_back(*first_, sectors_);
    }
    Staged(const Staged&) = delete;
    Staged& operator=(const Staged&) = delete;
    [[nodiscard]] bool none() const { return !first_; }
    void try_again() { first_ = cache_.staged_.take(sectors_); }
    [[nodiscard]] DataSpan part(std::uint32_t first, std::uint32_t count) const {
      return cache_.staging_.part(static_cast<std::uint32_t>(*first_) + first, count);
    }

   private:
    WriteCache& cache_;
    std::uint32_t sectors_;
    std::optional<std::uint64_t> first_;
  };
  enum class SlotState : std::uint32_t {
    free,
    clean,  ///< as the inner layer has it
    dirty,
    destaging,  ///< dirty, and a copy of it is being written
    renewed,    ///< destaging, and overwritten since the copy was taken
    stuck       ///< as dirty, but blocks that it lacks cannot be read; in no list
  };
  /// Host blocks of a sector, side by side.
  struct Blocks {
    std::uint16_t first = 0;
    std::uint16_t count = 0;
    [[nodiscard]] std::uint32_t end() const { return std::uint32_t{first} + count; }
    [[nodiscard]] bool inside(Blocks other) const { return count == 0 || (first >= other.first && end() <= other.end()); }
    /// Whether there is no gap between them.
    [[nodiscard]] bool joins(Blocks other) const { return count == 0 || (first <= other.end() && other.first <= end()); }
    [[nodiscard]] Blocks with(Blocks other) const;
  };
  /// What the directory says of a slot: all that recovery needs under `plp`.
  struct Slot {
    std::uint64_t lsn;
    std::uint64_t since;   ///< sequence number of the oldest write that is not on media or flash
    std::uint64_t newest;  ///< of the write whose data the slot holds; of a renewed one, the first since the copy was taken
    SlotState state;
    Blocks held;  ///< all of them but for a dirty or stuck slot
  };
  enum List : std::uint32_t { free_list, clean_list, dirty_list, lists };  // clean: least recently used first; dirty: by `since`

  /// A write on its way into slots: what lies in those from `slot` on is yet to be copied.
  struct Filling {
    DataSpan data;
    std::uint64_t sequence = 0;  ///< of the first sector
    std::uint32_t head = 0;      ///< blocks that the first sector leaves out
    std::uint32_t tail = 0;      ///< and the last
    std::uint32_t done = 0;      ///< sectors in their slots
    Index slot = 0;
    std::uint32_t count = 0;
    Index previous = DramLists::none;  ///< slot of the sector in front
    [[nodiscard]] std::uint32_t end() const { return done + count; }
  };

  /// The directory as an operation goes through slots side by side: eight are read in one burst.
  class SlotReader {
   public:
    explicit SlotReader(const DramArray<Slot>& slots) : slots_(slots) {}
    const Slot& at(Index index) {
      if (index / burst != block_) {
        block_ = index / burst;
        const std::uint64_t first = std::uint64_t{block_} * burst;
        static_cast<void>(slots_.read_run(first, std::min<std::uint64_t>(burst, slots_.size() - first)));
      }
      return slots_.peek(index);
    }

   private:
    static constexpr Index burst = 8;  // ours: of 256 bytes
    const DramArray<Slot>& slots_;
    Index block_ = DramLists::none;
  };
  /// Sectors without a slot, and the slot of the sector that ends them.
  struct Gap {
    std::uint32_t count = 0;
    Index slot = DramLists::none;
  };

  [[nodiscard]] bool holds_unwritten(const Slot& slot) const { return slot.state >= SlotState::dirty; }
  [[nodiscard]] bool is_dirty_listed(const Slot& slot) const { return holds_unwritten(slot) && slot.state != SlotState::stuck; }
  [[nodiscard]] Index find(LogicalSector lsn);
  [[nodiscard]] Index find_near(SlotReader& directory, Index guess, LogicalSector lsn);
  [[nodiscard]] Gap gap_before(LogicalRun run);
  [[nodiscard]] std::uint32_t side_by_side(Index slot, LogicalRun run);
  [[nodiscard]] Index take_slots(LogicalRun run, std::uint32_t& count);
  [[nodiscard]] bool pending(SlotReader& directory, Index index) const {
    return index != DramLists::none && directory.at(index).state == SlotState::dirty;
  }
  [[nodiscard]] bool ready(SlotReader& directory, Index index) const {
    return pending(directory, index) && !in_part(slots_.peek(index).held);
  }
  template <class F>
  void each_clean_chain(Index first, Index count, F&& f);
  void keep(Index first, Index count);
  void use(Index first, Index count);
  void settle(Filling& filling);
  [[nodiscard]] bool mark_written(Slot& slot, std::uint64_t sequence, Blocks written);
  void mark_destaged(Index first, Index count);
  [[nodiscard]] bool is_newest(std::uint64_t since);
  void enlist(Index index, Index previous);
  void take_out(Index index);
  void wake_waiting();
  void drop(Index index);
  void drop(LogicalRun run);
  bool drop_lost(Index first, std::uint32_t count);
  void rebuild();

  struct OtherParts;
  /// Sectors of a read that are not here, or not whole, as they were looked up: before they are read, what was here in part may have become
  /// whole, and be on its way home.
  struct Missing {
    LogicalRun run;
    bool in_part = false;  ///< some were here
  };
  Task<Status> read_parts(LogicalRun run, DataSpan data, EarlySectors* early);
  Task<void> read_other(OtherParts& others, Missing missing, DataSpan part);
  [[nodiscard]] std::uint32_t written_home(LogicalRun run);
  Task<Status> write_part(LogicalRun run, DataSpan data, WriteOptions options);
  Task<Status> fill(LogicalRun run, Filling filling);
  Task<Status> write_through(LogicalRun run, DataSpan data, WriteOptions options);
  Task<Status> replay();
  Task<Status> replay(std::span<const Journal::Record> records, std::uint32_t count);
  Task<Status> replay(const Journal::Record& record);
  void release_journal();

  // Sectors of which a slot holds a part (write_cache_parts.cpp)
  [[nodiscard]] Blocks written_of(const Filling& filling, std::uint32_t sector) const;
  [[nodiscard]] bool in_part(Blocks held) const { return held.count != 0 && held.count != all_blocks_.count; }
  [[nodiscard]] bool lacks_blocks(LogicalSector lsn);
  [[nodiscard]] bool lacks_blocks(LogicalRun run);
  [[nodiscard]] bool takes_part(LogicalSector lsn, Blocks written, std::uint64_t& lacking);
  void set_held(Slot& slot, Blocks held);
  void join_edges(const Filling& filling);
  void join_edge(const Filling& filling, std::uint32_t sector);
  Task<Status> read_lacking(LogicalRun run, DataSpan data);
  Task<void> complete(LogicalRun run, DataSpan scratch);
  void make_way();
  void complete_slot(LogicalSector lsn, DataSpan old);
  void set_aside(LogicalSector lsn);
  void take_up();
  void unstick(Index index);

  void wake_worker();
  Task<void> destage_loop(std::uint32_t worker);
  Task<void> watch_idle();
  Task<void> destage(Index slot);
  Task<Status> write_home(LogicalRun run, DataSpan data, WriteOptions options);
  void end(Status status);
  [[nodiscard]] bool ended() const { return !ok(failure_); }
  [[nodiscard]] LogicalRun dirty_run(Index& slot, std::uint32_t most);
  [[nodiscard]] bool wanted();
  [[nodiscard]] bool above(std::uint32_t mark) const { return dirty_ * 100 > (slots_count_ - stuck_) * mark; }
  [[nodiscard]] bool host_idle() const;
  [[nodiscard]] bool journal_pressed() const;
  [[nodiscard]] Index next_to_destage();
  [[nodiscard]] Index next_by_address();
  [[nodiscard]] Index next_by_age();
  [[nodiscard]] Index guided(Index slot);

  WriteCacheConfig config_;
  Ports ports_;
  TranslationLayer& inner_;
  DestageOrderGuide* guide_ = nullptr;
  SegmentBorrower* borrower_ = nullptr;
  const char* prefix_;
  Index slots_count_;
  Blocks all_blocks_;      // of a sector
  DataBuffer own_buffer_;  // durability other than plp
  DataBuffer* buffer_;
  DramArray<Slot> slots_;
  DramLists lists_;
  DramHashMap index_;
  SectorGroups groups_;
  DramArray<Index> sweep_;                                   // slots in order of address, as collected when the sweep began
  std::vector<std::pair<std::uint64_t, Index>> by_address_;  // working memory of that collection
  std::uint64_t sweep_next_ = 0;
  std::uint64_t sweep_end_ = 0;
  Index passed_ = DramLists::none;  // of the dirty list, by age: up to there all are on their way; none: nothing is known
  std::unique_ptr<Journal> journal_;
  SectorLocks inner_locks_;     // a destage and what goes past the cache
  std::deque<WaitQueue> work_;  // of each destage worker
  std::vector<std::uint32_t> asleep_;
  bool called_ = false;                        // a worker was woken and has not looked yet
  bool choosing_ = false;                      // a worker makes whole what it is going to destage
  RoomQueue writers_;                          // without a slot
  WaitQueue progress_;                         // of flushes
  WaitQueue activity_;                         // of watch_idle()
  DataBuffer staging_;                         // of all destages together: no more than the cache holds
  ExtentAllocator staged_{0};                  // sectors of it
  std::uint32_t largest_ = 0;                  // sectors of a destage
  std::vector<const DataBuffer*> giving_way_;  // what is read into them is given up when the host reads
  std::uint32_t part_sectors_;                 // longest part of a host write handled at once

  std::uint64_t sequence_ = 1;      // of the next write; the journal's own where there is one
  std::uint64_t newest_since_ = 0;  // of all slots that were dirty ever
  std::uint64_t dirty_ = 0;
  Gauge dirty_gauge_;
  std::uint64_t flush_target_ = 0;
  bool draining_ = false;
  std::uint32_t under_way_ = 0;  // destages
  std::uint64_t in_part_ = 0;    // slots that lack blocks
  std::uint64_t edges_ = 0;      // that writes under way may leave so
  std::uint64_t stuck_ = 0;      // of in_part_
  Status failure_ = Status::ok;  // of the destage that ended all destaging

  std::uint64_t peak_dirty_ = 0;
  std::uint64_t absorbed_ = 0;
  std::uint64_t read_hits_ = 0;
  std::uint64_t read_misses_ = 0;
  std::uint64_t destages_ = 0;
  std::uint64_t destaged_sectors_ = 0;
  std::uint64_t full_waits_ = 0;
  std::uint64_t lost_at_boot_ = 0;
  std::uint64_t parts_written_ = 0;
  std::uint64_t completed_ = 0;
};

}  // namespace tessera
