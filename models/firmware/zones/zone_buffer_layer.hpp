#pragma once
// What the layers with a sector-mapped buffer in front of zones share: reads, trims, the write-back of a zone's sectors, and finding
// the buffer's content again at boot. How slots are given out and when they are won back is each layer's own.
//
// A zone is locked by its guard: shared by reads and writes of its sectors, alone by whoever moves or writes them back.
#include <cstdint>
#include <span>
#include <vector>

#include "firmware/locks/number_locks.hpp"
#include "firmware/tables/scratch_pool.hpp"
#include "firmware/zones/slot_owners.hpp"
#include "firmware/zones/slot_writes.hpp"
#include "firmware/zones/zone_store.hpp"

namespace tessera {

class ZoneBufferLayer : public TranslationLayer {
 public:
  /// `notes`: what the layer keeps in the log of the zones apart from their states; `lists`: none in a layer that does not evict().
  ZoneBufferLayer(const Ports& ports, const ZoneConfig& config, const DriveGeometry& geometry, const FormatPlan& plan,
                  ZoneNotes* notes = nullptr, SlotOwners::ZoneLists lists = SlotOwners::ZoneLists::kept);

  [[nodiscard]] std::uint64_t user_sectors() const override { return store_.user_sectors(); }
  Task<Status> format() override { return store_.format(); }
  Task<Status> recover() override;
  Task<Status> read(LogicalRun run, DataSpan data) override;
  Task<Status> write(LogicalRun run, DataSpan data, WriteOptions options) override;
  /// A completed write is on the platter.
  Task<Status> flush() override { co_return Status::ok; }
  Task<Status> trim(LogicalRun run) override;
  [[nodiscard]] bool idle() const override { return locks_.empty(); }
  void prefill(std::uint64_t sectors) override { store_.prefill(sectors); }
  [[nodiscard]] BandLevels band_levels() const override;

  /// For tests: what stands where.
  [[nodiscard]] const ZoneStore& store() const { return store_; }
  [[nodiscard]] const SlotOwners& owners() const { return owners_; }

 protected:
  struct FoundSlot {
    std::uint32_t slot = 0;
    SlotRecord record;
  };
  /// A slot that a sector is to be written to, and the tag of its record.
  struct Placement {
    std::uint32_t slot = 0;
    std::uint64_t tag = 0;
  };
  using Placements = std::vector<Placement>;

  /// What its pieces need to know of a host's write.
  struct Request {
    HostTag tag = no_host_tag;
    MediaClass priority = MediaClass::host;
    bool hot = false;
  };

  /// Whether a write of so many sectors is likely to be updated soon; asked once a request.
  [[nodiscard]] virtual bool predicts_hot(std::uint32_t) { return false; }
  /// The lock of a zone.
  [[nodiscard]] virtual std::uint64_t guard_of(std::uint32_t zone) const = 0;
  /// At most how many sectors are written at once.
  [[nodiscard]] virtual std::uint32_t largest_write() const = 0;
  [[nodiscard]] virtual Task<Status> write_piece(ZoneRun run, DataSpan data, const Request& request) = 0;
  /// `slot` holds nothing any more.
  virtual void released(std::uint32_t slot) = 0;
  /// `slot` was written.
  virtual void stored(std::uint32_t) {}
  /// A write to these slots of `zone` failed: those without an owner are released next, and may have a record of it all the same.
  [[nodiscard]] virtual Task<void> abandoned(std::uint32_t, std::span<const Placement>) { co_return; }
  /// At boot: finds out what slots are given out, and removes records that cannot count any more. `unreadable`: slots whose records a later
  /// boot may be able to read.
  virtual void restore_space(std::vector<FoundSlot>& found, std::span<const std::uint32_t> unreadable) = 0;
  /// At boot, behind restore_space(): whether `slot` may still hold what it held when the record of this number was written.
  [[nodiscard]] virtual bool may_hold(std::uint32_t, std::uint64_t) const { return true; }
  /// At boot, behind restore_space(): `slot` cannot be read and held a sector; gives the tag that its record had, or one as good.
  [[nodiscard]] virtual std::uint64_t restore_unreadable(SlotOwners::Owner slot, const std::vector<FoundSlot>& found) = 0;
  /// At boot, when owners_ is complete; `found`: of which some are in it, in the order in which they were written; `unreadable`: of which
  /// those in it are in `found`, too.
  [[nodiscard]] virtual Task<Status> restored(std::vector<FoundSlot>& found, std::span<const std::uint32_t> unreadable) = 0;

  /// Writes `run` to its placements, one a sector, a positioning for each run of slots. The guard is held. Slots of sectors
  /// that could not be written are released.
  [[nodiscard]] Task<Status> store(ZoneRun run, DataSpan data, const Placements& placements, MediaClass priority);
  /// Writes back every sector of `zone` that the buffer holds and leaves(); at least one. The guard is held alone.
  [[nodiscard]] Task<Status> evict(std::uint32_t zone);
  /// Whether `slot` goes with the others of its zone.
  [[nodiscard]] virtual bool leaves(std::uint32_t) const { return true; }
  /// What orders the copies of a zone's sectors against its write-backs, and its value up to which copies are void after one that begins
  /// now: sequence numbers, where all copies leave.
  [[nodiscard]] virtual std::uint64_t age(const SlotRecord& record) const { return record.sequence; }
  [[nodiscard]] virtual std::uint64_t void_up_to() const { return buffer_.newest_sequence(); }
  /// Adds what all these layers report; `paper_bytes`: mapping memory in the papers' accounts; `own`: of the layer beside the map.
  void report_common(MetricSet& metrics, Bytes paper_bytes, Bytes own) const;

  Ports ports_;
  ZoneStore store_;
  BufferRegion buffer_;
  SlotOwners owners_;
  SlotWrites writes_;
  NumberLocks locks_;
  BufferStatistics statistics_;
  ScratchPool<Placements> placements_;
  ScratchPool<SlotOwners::Slots> slots_;

 private:
  /// What of a read lies where.
  struct ReadPlan {
    SlotOwners::Slots slots;
    std::vector<SlotRun> buffered;
    struct Native {
      std::uint32_t first;  ///< in the run
      std::uint32_t count;
    };
    std::vector<Native> native;
  };
  [[nodiscard]] Task<Status> read_piece(ZoneRun run, DataSpan data);
  [[nodiscard]] Task<Status> store_run(ZoneRun run, DataSpan data, std::span<const Placement> placements, MediaClass priority);
  void enter(std::uint32_t slot, LogicalSector sector, std::uint32_t zone);
  [[nodiscard]] Task<Status> give_up(std::span<const std::uint32_t> slots);
  void add_unreadable(std::vector<FoundSlot>& found, const std::vector<SlotOwners::Owner>& unreadable);
  [[nodiscard]] std::vector<FoundSlot> named(const std::vector<FoundSlot>& found, const std::vector<std::uint32_t>& unknown,
                                             const HeardNames& names) const;
  void add_named(std::vector<FoundSlot>& found, std::vector<FoundSlot> named);
  [[nodiscard]] Task<Status> restore_owners(std::vector<FoundSlot>& found);

  ScratchPool<ReadPlan> read_plans_;
  ScratchPool<std::vector<SlotRecord>> records_;
  FifoMutex evictions_;  // the victim set
  BufferVictims victims_;
};

}  // namespace tessera
