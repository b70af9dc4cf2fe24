#pragma once
// Flash as a read cache in front of any layer, and of the caches in DRAM: what they hold is not looked for in flash. It holds nothing that
// the layer does not hold, so it begins empty after a power cut, and its index may be lost at any time.
//
// A read goes to flash if flash has all of its sectors; otherwise the platters, which pass over the others anyway, bring all of them, and
// those that the admission rule names are copied to a staging buffer. From there they are programmed by whole pages, with nobody waiting;
// until then they are read from the buffer. What finds the buffer full is not taken in.
//
// Blocks are filled in order, and leave in the order in which they were filled. One that was read from as often as half of its sectors
// since it came to the head of that order gets a second chance. All that is left of a block leaves with it: nothing is ever copied.
//
// A write or TRIM takes its sectors out before it begins. The command front end lets no read of them run meanwhile.
#include <cstdint>
#include <optional>
#include <vector>

#include "firmware/caches/drive_flash_config.hpp"
#include "firmware/tables/dram_table.hpp"
#include "firmware/tables/scratch_pool.hpp"
#include "firmware/translation_layer.hpp"

namespace tessera {

inline constexpr GaugeInfo flash_cache_gauge{"flash_cache.sectors", "1", "sectors that the flash cache holds"};

class FlashReadCache final : public TranslationLayer {
 public:
  /// `settings.problem(flash)` must be empty. `ports.flash` is the whole flash: the cache has its last blocks.
  FlashReadCache(const DriveFlashConfig& settings, const Ports& ports, TranslationLayer& inner);

  [[nodiscard]] std::uint64_t user_sectors() const override { return inner_.user_sectors(); }
  Task<Status> format() override {
    blank_ = true;
    return inner_.format();
  }
  Task<Status> recover() override { return inner_.recover(); }
  Task<Status> read(LogicalRun run, DataSpan data) override;
  Task<Status> write(LogicalRun run, DataSpan data, WriteOptions options) override;
  bool holds(LogicalRun run) override;
  bool absorbs(LogicalRun run) override { return inner_.absorbs(run); }
  [[nodiscard]] bool streams_writes() const override { return inner_.streams_writes(); }
  bool takes_parts(LogicalRun run, std::uint32_t head, std::uint32_t tail) override { return inner_.takes_parts(run, head, tail); }
  void received(LogicalRun run) override { inner_.received(run); }
  Task<Status> flush() override { return inner_.flush(); }
  Task<Status> trim(LogicalRun run) override;
  void start_background() override { inner_.start_background(); }
  [[nodiscard]] bool idle() const override { return !filling_ && inner_.idle(); }
  void prefill(std::uint64_t sectors) override { inner_.prefill(sectors); }
  void report(MetricSet& metrics) const override;

 private:
  /// Where a sector is: a subpage of the cache's part of the flash, or after all of these a slot of the staging buffer.
  using Place = std::uint32_t;
  static constexpr Place none = DramHashMap::none;
  enum List : std::uint32_t { fresh, in_use, lists };  // in_use: in the order in which blocks were filled or given a second chance

  struct Block {
    std::uint32_t hits;  ///< sectors read since it was filled or got its second chance
    std::uint32_t readers;
  };
  struct OpenBlock {
    std::uint32_t block = DramLists::none;
    std::uint32_t pages = 0;  ///< programmed
  };
  struct Scratch {
    std::vector<Place> places;
    std::vector<FlashCommand> commands;
  };
  [[nodiscard]] Place subpages() const { return static_cast<Place>(owners_.size()); }
  [[nodiscard]] bool is_staged(Place place) const { return place >= subpages(); }
  [[nodiscard]] std::uint32_t block_of(Place place) const { return place / shape_.block_subpages(); }
  [[nodiscard]] Place find(LogicalSector sector) const;
  [[nodiscard]] bool find_all(LogicalRun run, std::vector<Place>& places) const;
  [[nodiscard]] std::uint64_t& owner(Place place);
  void enter(LogicalSector sector, Place place);
  void drop(LogicalSector sector);
  void drop(LogicalRun run);
  void give_up(LogicalSector sector, Place place);

  [[nodiscard]] Task<Status> look_up(LogicalRun run, DataSpan data);
  [[nodiscard]] Task<bool> read_held(LogicalRun run, DataSpan data, Scratch& scratch);

  // Admission and eviction (flash_read_cache_fill.cpp)
  [[nodiscard]] bool wanted(LogicalSector sector);
  void admit(LogicalRun run, DataSpan data);
  [[nodiscard]] Task<void> fill();
  [[nodiscard]] Task<bool> open_blocks();
  [[nodiscard]] Task<void> program();
  [[nodiscard]] std::uint32_t gather(std::uint32_t most);
  void aim_at_open_blocks();
  void settle(const FlashCommand& command, std::uint32_t slot);
  [[nodiscard]] std::uint32_t take_block();
  void empty(std::uint32_t block);
  void retire(std::uint32_t block);

  DriveFlashConfig settings_;
  Ports ports_;
  TranslationLayer& inner_;
  FlashShape shape_;
  std::uint64_t first_block_;
  std::uint32_t blocks_count_;
  std::uint32_t largest_read_;             // in sectors
  std::uint32_t stage_size_;               // in sectors
  DramHashMap index_;                      // place by sector
  DramArray<std::uint64_t> owners_;        // by subpage: sector plus one; 0: none
  DramArray<std::uint64_t> stage_owners_;  // by slot of the staging buffer: as owners_
  DramArray<Block> blocks_;
  DramLists order_;                                  // a block in neither list is open, or retired
  std::optional<DramArray<std::uint32_t>> history_;  // by hash: sector plus one of the one that was read last, cut to 32 bits
  DataBuffer stage_;
  std::uint32_t stage_first_ = 0;  // the slot that was filled first
  std::uint32_t staged_ = 0;       // slots in use, a ring from there on
  std::vector<OpenBlock> open_;
  std::vector<FlashCommand> commands_;  // of fill()
  std::vector<std::uint32_t> slots_;    // whose sectors they program
  ScratchPool<Scratch> scratches_;
  Gauge held_;
  std::uint32_t in_use_ = 0;  // blocks in that list
  bool blank_ = false;        // blocks that were never used hold no pages
  bool filling_ = false;

  std::uint64_t hits_ = 0;
  std::uint64_t misses_ = 0;
  std::uint64_t admitted_ = 0;
  std::uint64_t skipped_ = 0;
  std::uint64_t programmed_ = 0;
  std::uint64_t invalidated_ = 0;
  std::uint64_t evicted_ = 0;
  std::uint64_t second_chances_ = 0;
  std::uint64_t unreadable_ = 0;
  std::uint64_t failed_programs_ = 0;
  std::uint64_t erases_ = 0;
  std::uint64_t retired_ = 0;
};

}  // namespace tessera
