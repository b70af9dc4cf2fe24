#pragma once
// MU-RMW as a translation layer. writes.cpp and reads.cpp have section III-C, reclaim.cpp section III-D (lazy RMW reclamation),
// recovery.cpp what the paper does not say: how the mapping is found again after a power cut.
//
// Order of locks: mapping groups, then the reclamation, then bands. A write that needs a block lets go of its band while it
// waits for one, so that the band itself can be the victim; `epochs_` tells it afterwards.
#include <algorithm>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "firmware/flash/band_layout.hpp"
#include "firmware/flash/band_map.hpp"
#include "firmware/flash/band_merge.hpp"
#include "firmware/flash/band_reader.hpp"
#include "firmware/flash/block_pool.hpp"
#include "firmware/flash/cache_statistics.hpp"
#include "firmware/flash/oob.hpp"
#include "firmware/flash/page_scan.hpp"
#include "firmware/flash/shared_pages.hpp"
#include "firmware/layers/mu_rmw/address_split.hpp"
#include "firmware/layers/mu_rmw/concentrated_map.hpp"
#include "firmware/layers/mu_rmw/mu_rmw_config.hpp"
#include "firmware/layout/following_trims.hpp"
#include "firmware/locks/number_locks.hpp"
#include "firmware/locks/wait_queue.hpp"
#include "firmware/tables/scratch_pool.hpp"
#include "firmware/translation_layer.hpp"

namespace tessera::mu_rmw {

/// Working memory of one operation, reused by later ones.
struct Scratch {
  std::vector<FlashCommand> commands;
  std::vector<std::byte> images;     ///< out-of-band image of each command
  std::vector<std::uint32_t> table;  ///< a sub-table
  std::vector<std::uint32_t> pages;  ///< by sector of the operation: its flash page, or the one it replaces
  std::vector<std::uint32_t> taken;  ///< pages that are programmed
};

using Scratches = ScratchPool<Scratch>;

class MuRmw final : public TranslationLayer, private SharedPages::Source {
 public:
  MuRmw(const Ports& ports, const MuRmwConfig& config, const DriveGeometry& geometry, const FormatPlan& plan);

  [[nodiscard]] std::uint64_t user_sectors() const override { return std::uint64_t{bands_} * split_.p(); }
  Task<Status> format() override;
  Task<Status> recover() override;
  Task<Status> read(LogicalRun run, DataSpan data) override;
  Task<Status> write(LogicalRun run, DataSpan data, WriteOptions options) override;
  Task<Status> trim(LogicalRun run) override;
  Task<Status> flush() override;
  void start_background() override;
  [[nodiscard]] bool idle() const override { return !cleaning_ahead_ && (!checkpoint_ || !checkpoint_->writing()); }
  void prefill(std::uint64_t sectors) override;
  void report(MetricSet& metrics) const override;
  [[nodiscard]] BandLevels band_levels() const override;

  /// For tests and examples: the mapping as it stands.
  [[nodiscard]] const ConcentratedMap& map() const { return map_; }
  [[nodiscard]] const AddressSplit& split() const { return split_; }

 private:
  /// A mapping group in hand: its lock is held by whoever holds this.
  struct Group {
    SplitAddress at;  ///< `off`: the first slot that the operation touches
    std::uint64_t number;
    std::uint32_t epoch;                    ///< of the band, when the sub-table was taken
    std::optional<NumberLocks::Lock> band;  ///< shared; given up while a block is reclaimed
    Scratches::Handle scratch;
  };
  static constexpr std::uint32_t no_page = OobCodec::no_page;

  // Writes and reads (writes.cpp, reads.cpp)
  Task<Status> write_group(LogicalRun run, DataSpan data);
  Task<Status> open_group(Group& group);
  Task<Status> read_newest_table(Group& group);
  Task<Status> find_room(Group& group);
  void open_block(std::uint32_t lbn);
  Task<std::uint32_t> program_data(Group& group, LogicalRun run, DataSpan data);
  void close_page(std::uint32_t lbn) override;
  Task<Status> read_tables(LogicalRun run, DataSpan data, Scratch& scratch);
  void fail_block(std::uint32_t lbn, std::uint32_t page);
  [[nodiscard]] LogicalRun within_group(LogicalRun rest) const;
  [[nodiscard]] std::uint64_t group_of(LogicalSector sector) const { return split_.group(split_(sector)); }
  [[nodiscard]] std::span<std::byte> image(Scratch& scratch, std::size_t command) const {
    return std::span(scratch.images).subspan(command * codec_.bytes(), codec_.bytes());
  }

  /// What one merge needs; as many as may be under way at once.
  struct Merger {
    Merger(const Ports& ports, const BandLayout& layout, std::uint32_t buffer_sectors, std::uint32_t band_sectors)
        : merge(ports, layout, buffer_sectors),
          full_table(ports.memory, MemoryCategory::merge_buffer, band_sectors, "sector mapping table of a merge"),
          erased(ports.cpu) {}

    BandMerge merge;
    DramArray<std::uint32_t> full_table;  // SMT of the band that is merged
    WaitQueue erased;
    bool erasing = false;       // blocks of a band that is written: erase_while_writing
    bool busy = false;          // it is going to free a block
    std::uint32_t waiting = 0;  // who reclaims with it, or waits for that
  };

  /// What it shows to a policy, and its own one: the band that the algorithm finds, once no block is free.
  class Cleaning final : public CleaningView, public CleaningPolicy {
   public:
    explicit Cleaning(MuRmw& of) : of_(of) {}
    /// What choose() is about to be asked for: a merger, and what the algorithm found for it.
    void ask_for(std::uint32_t merger, std::uint32_t band) {
      merger_ = merger;
      band_ = band;
    }
    [[nodiscard]] bool needed() const override { return of_.pool_.empty(); }
    [[nodiscard]] CleaningLevels levels() const override;
    [[nodiscard]] std::uint64_t units() const override { return of_.bands_; }
    [[nodiscard]] bool cleanable(std::uint64_t number) const override;
    void find(std::vector<CleaningUnit>& found) const override;
    [[nodiscard]] bool cleans_ahead() const override { return false; }
    [[nodiscard]] Picoseconds when(const CleaningView& /*view*/) override { return never; }
    [[nodiscard]] std::uint64_t choose(const CleaningView& /*view*/) override { return band_; }

   private:
    MuRmw& of_;
    std::uint32_t merger_ = 0;
    std::uint32_t band_ = 0;
  };

  // Lazy RMW reclamation (reclaim.cpp)
  Task<Status> make_room();
  [[nodiscard]] std::deque<Merger> make_mergers(std::uint32_t buffer_sectors) const;
  [[nodiscard]] std::uint32_t choose_merger() const;
  [[nodiscard]] ScanIndex::Choice choose_victim(std::uint32_t merger) const;
  Task<Status> reclaim_with(std::uint32_t number);
  Task<Status> reclaim_one(std::uint32_t number, ScanIndex::Choice victim);
  Task<void> clean_ahead();
  [[nodiscard]] std::optional<std::uint32_t> other_merger(std::uint32_t number) const;
  Task<void> reclaim_block(std::uint32_t block);
  Task<Status> merge_band(std::uint32_t lbn);
  Task<Status> commit(std::uint32_t lbn, std::uint32_t held);
  Task<Status> reconstruct_table(Merger& merger, std::uint32_t lbn, std::uint32_t& valid);
  [[nodiscard]] std::vector<std::uint32_t> uncache(std::uint32_t lbn);
  Task<void> erase_blocks(std::span<const std::uint32_t> blocks);
  Task<void> erase_beside(Merger& merger, std::vector<std::uint32_t> blocks);
  Task<void> trim_band(std::uint32_t lbn, LogicalRun run);
  /// The one that merges the bands of this band's arm.
  [[nodiscard]] std::uint32_t merger_of(std::uint32_t lbn) const { return mergers_.size() == 1 ? 0 : places_.arm_of(lbn); }

  // Sub-tables that cannot be read (lost_tables.cpp)
  template <class TagOf>
  void newest_pages(SplitAddress at, TagOf tag_of, std::span<std::uint32_t> table) const;
  [[nodiscard]] bool table_from_tags(SplitAddress at, std::span<std::uint32_t> table) const;
  Task<Status> merge_lost_table(Group& group);

  // Recovery (recovery.cpp)
  struct Found : FoundPages {
    std::vector<std::uint32_t> stale;    ///< blocks to erase
    std::vector<std::uint32_t> unnamed;  ///< copies of sectors of which the newest sub-table names none, or an older one
  };
  void restore_lists(Found& found);
  Task<Status> restore_tables(Found& found);
  [[nodiscard]] std::vector<LogicalSector> sectors_gone(const PageTags& tags) const;
  void take_recorded_table(std::uint64_t group, std::span<const std::uint32_t> members, const PageTags& tags);
  Task<Status> read_table(std::uint64_t group, std::span<const std::uint32_t> members, Found& found);
  Task<Status> restore_table(std::uint64_t group, std::uint32_t page, Found& found, Scratch& work, bool& accepted);
  [[nodiscard]] bool live(const PageTag& tag) const;

  Ports ports_;
  MuRmwConfig config_;
  AddressSplit split_;
  FlashShape shape_;
  BandLayout layout_;
  std::uint32_t bands_;  // U
  OobCodec codec_;
  ConcentratedMap map_;
  BandMap places_;
  std::deque<Merger> mergers_;  // one, or one an arm
  BandReader reader_;
  Gauge free_blocks_;
  BlockPool pool_;
  SharedPages pages_;  // of each band's open block
  Scratches scratches_;
  DramArray<std::uint32_t> epochs_;            // by band: merges since power-on
  std::unique_ptr<TagCheckpoint> checkpoint_;  // none: boot reads every page
  std::uint64_t next_seq_ = 1;

  FollowingTrims trims_;
  NumberLocks group_locks_;
  NumberLocks band_locks_;
  NumberLocks reclaim_lock_;  // by merger
  NumberLocks commit_lock_;
  Cleaning shown_{*this};
  CleaningPolicy& policy_;
  WaitQueue written_;  // of clean_ahead()
  bool cleaning_ahead_ = false;

  struct Statistics {
    CacheStatistics cache;  ///< a cleaning is a reclamation of either kind
    std::uint64_t obsolete_reclaims = 0;
    std::uint64_t subtable_reads = 0;  ///< on the way of writes
    Tally victim_blocks;
  } statistics_;
};

/// The newest page of each sector of the group of `at` in the band's blocks. `tag_of(page)`: its header; sequence number 0 where the page
/// holds nothing that counts.
template <class TagOf>
void MuRmw::newest_pages(SplitAddress at, TagOf tag_of, std::span<std::uint32_t> table) const {
  std::fill(table.begin(), table.end(), no_page);
  for (std::uint32_t block = map_.first_block(at.lbn); block != ConcentratedMap::no_block; block = map_.block_after(block)) {
    for (std::uint32_t i = 0; i < shape_.block_subpages(); ++i) {
      const std::uint32_t page = block * shape_.block_subpages() + i;
      const OobHeader tag = tag_of(page);
      if (tag.seq == 0 || tag.kind != OobHeader::Kind::data || group_of(tag.lsn) != split_.group(at)) continue;
      std::uint32_t& newest = table[split_(tag.lsn).off];
      if (newest == no_page || tag_of(newest).seq < tag.seq) newest = page;
    }
  }
}

}  // namespace tessera::mu_rmw
