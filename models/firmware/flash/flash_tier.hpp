#pragma once
// The middle tier: a ring of flash blocks in front of the platters. What it keeps up with goes to it, what it does not goes on to them;
// what was written is read from it.
//
// A page says in its out-of-band area whose it is and when it was written: programming it is the commit. A write that goes past the flash
// while the flash holds an older copy programs a *void* when it is on the platters: a page that says that the copies of a run that are
// older than itself count no more. Blocks are erased in the order in which they were filled, so a void outlives what it speaks of. A block
// that cannot be erased is *dead*: a void of its own says so, and is written again before the block in which it lies is erased. Which
// sector a page holds is in a dumped table, too, for the pages that boot cannot read.
//
// In a pool (flash/block_lender.hpp) free blocks beyond those that are kept for writes may be lent.
//
// A write claims the pages of a void before it locks its sectors, since an eviction that makes room for them locks others. Order of locks:
// turn of evictions, sectors, use.
#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "base/metrics.hpp"
#include "firmware/flash/block_lender.hpp"
#include "firmware/flash/flash_tier_config.hpp"
#include "firmware/flash/held_sectors.hpp"
#include "firmware/flash/oob.hpp"
#include "firmware/flash/page_owners.hpp"
#include "firmware/flash/page_scan.hpp"
#include "firmware/flash/page_space.hpp"
#include "firmware/flash/shared_pages.hpp"
#include "firmware/layers/home_layer.hpp"
#include "firmware/locks/range_locks.hpp"
#include "firmware/locks/room_queue.hpp"
#include "firmware/locks/wait_queue.hpp"
#include "firmware/tables/scratch_pool.hpp"

namespace tessera::tiers {

class FlashTier final : public TranslationLayer, public BlockLender, private SharedPages::Source {
 public:
  FlashTier(const Ports& ports, const FlashTierConfig& config, HomeLayer& inner);

  /// Free blocks that only voids may use, of these the last one only those of evictions; and the least that a flash must have.
  static constexpr std::uint32_t reserve = 2;
  static constexpr std::uint32_t eviction_reserve = 1;
  static constexpr std::uint32_t least_blocks = 2 * reserve + 2;

  [[nodiscard]] std::uint64_t user_sectors() const override { return inner_.user_sectors(); }
  Task<Status> format() override;
  Task<Status> recover() override;
  Task<Status> read(LogicalRun run, DataSpan data) override { return read_as(MediaClass::host, run, data, nullptr); }
  Task<Status> read_early(LogicalRun run, DataSpan data, EarlySectors& early) override;
  Task<Status> read_behind(LogicalRun run, DataSpan data) override { return read_as(MediaClass::background, run, data, nullptr); }
  void received(LogicalRun run) override { inner_.received(run); }
  Task<Status> write(LogicalRun run, DataSpan data, WriteOptions options) override;
  Task<Status> flush() override { return inner_.flush(); }
  Task<Status> trim(LogicalRun run) override;
  void start_background() override;
  [[nodiscard]] bool idle() const override { return !evicting_ && inner_.idle(); }
  void prefill(std::uint64_t sectors) override { inner_.prefill(sectors); }
  void report(MetricSet& metrics) const override;
  [[nodiscard]] BandLevels band_levels() const override;
  /// Whether the newest copy of the sector is in flash, and what lies behind it is of no use until the flash hands that copy on.
  [[nodiscard]] bool holds_newest(LogicalSector sector) const;

  // Blocks for somebody else
  void lend_to(BlockBorrower& borrower) override;
  [[nodiscard]] std::optional<std::uint32_t> lend() override;
  void renew(std::uint32_t block) override;
  [[nodiscard]] std::uint64_t age(std::uint32_t block) const override;
  void lost(std::uint32_t block) override { space_.fail(block); }
  [[nodiscard]] bool has(LogicalSector sector) const override { return find(sector) != none; }

 private:
  static constexpr std::uint32_t ring = 0;  // the one stream of pages
  static constexpr std::uint32_t none = DramHashMap::none;
  static constexpr std::uint32_t void_copies = 2;

  struct Scratch {
    std::vector<FlashCommand> commands;
    std::vector<std::uint32_t> pages;
    std::vector<std::byte> images;
  };
  /// Room for a void, held as long as it may come.
  class Claim {
   public:
    explicit Claim(FlashTier& tier) : tier_(tier) { ++tier_.claims_; }
    Claim(const Claim&) = delete;
    Claim& operator=(const Claim&) = delete;
    ~Claim() {
      --tier_.claims_;
      if (!tier_.claims_ended_.empty()) tier_.claims_ended_.wake_all();
    }

   private:
    FlashTier& tier_;
  };
  struct DeadBlock {
    std::uint64_t seq = 0;    ///< of its void
    std::uint32_t block = 0;  ///< in which the older copy of the void lies
  };
  /// A page of the block that is evicted, and the sector it holds.
  struct Held {
    LogicalSector sector;
    std::uint32_t page;
  };

  void close_page(std::uint32_t) override { space_.close_page(); }
  [[nodiscard]] std::uint32_t find(LogicalSector sector) const;
  [[nodiscard]] bool holds_any(LogicalRun run) const;
  [[nodiscard]] bool takes(std::uint32_t count) const { return count <= config_.run && has_room(count); }
  /// For data, beside what is kept and what is claimed for voids.
  [[nodiscard]] std::uint64_t room() const;
  [[nodiscard]] bool has_room(std::uint32_t count) const { return count <= room(); }
  [[nodiscard]] bool keeps_up(std::uint32_t count) const { return keeps_up_with(backlog_, count); }
  [[nodiscard]] bool keeps_up_with(std::uint32_t backlog, std::uint32_t count) const {
    return backlog == 0 || backlog + count <= config_.backlog;
  }
  void admit();
  [[nodiscard]] Task<std::uint32_t> append(LogicalRun run, DataSpan data);
  [[nodiscard]] std::uint32_t take(std::uint32_t kept);
  [[nodiscard]] Task<void> program(std::span<FlashCommand> commands, std::span<const OobHeader> headers);
  void settle(std::span<const FlashCommand> commands);
  [[nodiscard]] std::uint32_t block_of(const FlashCommand& command) const {
    return static_cast<std::uint32_t>(command.page.value() / shape_.pages_per_block);
  }
  void enter(LogicalSector sector, std::uint32_t page);
  void drop(LogicalRun run);
  void distrust(LogicalRun run);
  [[nodiscard]] Task<Status> write_past(LogicalRun run, DataSpan data, WriteOptions options);
  [[nodiscard]] Task<Status> make_claimable();
  [[nodiscard]] Task<Status> make_void(LogicalRun run);
  [[nodiscard]] Task<Status> program_void(std::uint64_t subject, std::uint32_t kept, DeadBlock& at);
  [[nodiscard]] Task<Status> read_as(MediaClass priority, LogicalRun run, DataSpan data, EarlySectors* early);
  [[nodiscard]] Task<Status> read_inner(MediaClass priority, LogicalRun run, std::span<const std::uint32_t> pages, DataSpan data,
                                        EarlySectors* early);

  // Eviction (flash_tier_eviction.cpp)
  [[nodiscard]] Task<Status> evict();
  [[nodiscard]] Task<Status> evict_own(std::uint32_t block);
  [[nodiscard]] std::optional<std::uint32_t> oldest() const;
  [[nodiscard]] Task<Status> empty_block(std::uint32_t block);
  [[nodiscard]] Task<Status> move_run(std::span<const Held> held);
  [[nodiscard]] Task<Status> erase(std::uint32_t block);
  [[nodiscard]] Task<Status> renew_dead(std::uint32_t block);
  [[nodiscard]] Task<Status> bury(std::uint32_t block);
  [[nodiscard]] Task<void> evict_when_idle();
  [[nodiscard]] bool host_idle() const;
  [[nodiscard]] bool short_of_blocks() const;
  /// Blocks that evictions are to keep free.
  [[nodiscard]] std::uint64_t kept_free() const;
  [[nodiscard]] bool lent_is_older() const;
  [[nodiscard]] bool owes() const { return owed_ != 0 && !lent_is_older(); }
  [[nodiscard]] Task<bool> take_back(std::uint64_t age);
  [[nodiscard]] Task<bool> free_without_writes();

  // Boot
  void find_lost(FoundPages& found) const;
  [[nodiscard]] std::vector<LogicalSector> restore_pages(const PageTags& tags);
  [[nodiscard]] Task<void> void_left_out(std::span<const LogicalSector> sectors);
  void restore_blocks(const PageTags& tags);

  Ports ports_;
  FlashTierConfig config_;
  HomeLayer& inner_;
  FlashShape shape_;
  OobCodec codec_;
  DramHashMap map_;  // flash page by sector
  PageOwners owners_;
  HeldSectors held_;
  DramBitmap read_;  // by page: read since it was written
  Gauge free_blocks_;
  PageSpace space_;
  SharedPages pages_;
  SectorLocks sectors_;  // what is written, trimmed or moved
  FifoMutex use_;        // shared by reads, alone by erases
  FifoMutex turn_;       // of evictions
  WaitQueue taken_;      // of evict_when_idle()
  WaitQueue claims_ended_;
  RoomQueue queue_;    // of writes for which the flash is too busy
  WaitQueue settled_;  // of evictions: pages that were taken are programmed and entered
  DataBuffer buffer_;  // of evictions: a block
  ScratchPool<Scratch> scratches_;
  std::map<std::uint32_t, DeadBlock> dead_;
  /// Blocks with copies that are not sure to stay: that which is being evicted, and where an eviction or a void failed.
  std::set<std::uint32_t> leaving_;
  std::uint64_t next_seq_ = 1;
  DramArray<std::uint16_t> unsettled_;  // by block: pages that were taken and are not settled yet
  std::uint32_t backlog_ = 0;
  std::uint32_t claims_ = 0;
  std::uint64_t hurried_ = 0;  // writes that were no background work
  bool evicting_ = false;
  bool idle_failed_ = false;
  BlockBorrower* borrower_ = nullptr;
  std::optional<DramArray<std::uint64_t>> ages_;  // by block of the pool, lent ones too
  std::uint64_t youngest_ = 0;
  std::uint32_t owed_ = 0;  // blocks that the borrower asked for, and that are to be had from writes alone

  std::uint64_t written_ = 0;
  std::uint64_t past_ = 0;
  std::uint64_t updates_ = 0;
  std::uint64_t read_flash_ = 0;
  std::uint64_t voids_ = 0;
  std::uint64_t evicted_ = 0;
  std::uint64_t taken_back_ = 0;
  DurationHistogram evictions_;
  std::uint64_t moved_on_ = 0;
  std::uint64_t copied_ = 0;
  std::uint64_t failed_programs_ = 0;
};

/// What a void's header says in place of a sector: a run, or a block that is dead.
struct VoidSubject {
  static constexpr std::uint32_t count_shift = 40;
  static constexpr std::uint64_t dead_mark = std::uint64_t{1} << 60;
  static constexpr std::uint32_t most_sectors = (1U << 20) - 1;
  [[nodiscard]] static std::uint64_t of(LogicalRun run) { return run.first.value() | std::uint64_t{run.count} << count_shift; }
  [[nodiscard]] static std::uint64_t of_block(std::uint32_t block) { return dead_mark | block; }
  [[nodiscard]] static bool is_block(std::uint64_t subject) { return (subject & dead_mark) != 0; }
  [[nodiscard]] static std::uint32_t block(std::uint64_t subject) { return static_cast<std::uint32_t>(subject & ~dead_mark); }
  [[nodiscard]] static LogicalRun run(std::uint64_t subject) {
    return {LogicalSector(subject & ((std::uint64_t{1} << count_shift) - 1)), static_cast<std::uint32_t>(subject >> count_shift)};
  }
};

}  // namespace tessera::tiers
