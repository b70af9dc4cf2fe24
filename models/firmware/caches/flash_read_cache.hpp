#pragma once
// Flash as a read cache in front of any layer, and of the caches in DRAM: what they hold is not looked for in flash. It holds nothing that
// the layer does not hold, so it begins empty after a power cut, and its index may be lost at any time.
//
// A read goes to flash if flash has all of its sectors; otherwise the platters, which pass over the others anyway, bring all of them, and
// those that the admission rule names are copied to a staging buffer. From there they are programmed by whole pages, with nobody waiting;
// until then they are read from the buffer. What finds the buffer full is not taken in.
//
// Blocks (flash/clean_units.hpp) leave in the order in which they were filled; one that was read from as often as half of its sectors
// since it came to the head of that order gets a second chance.
//
// A write or TRIM takes its sectors out before it begins. The command front end lets no read of them run meanwhile.
#include <cstdint>
#include <optional>
#include <vector>

#include "firmware/caches/drive_flash_config.hpp"
#include "firmware/flash/clean_units.hpp"
#include "firmware/tables/dram_table.hpp"
#include "firmware/tables/scratch_pool.hpp"
#include "firmware/translation_layer.hpp"

namespace tessera {

inline constexpr GaugeInfo flash_cache_gauge{"flash_cache.sectors", "1", "sectors that the flash cache holds"};

class FlashReadCache final : public TranslationLayer, private CleanUnits::Index {
 public:
  /// `settings.problem(flash)` must be empty. `ports.flash` is the whole flash: the cache has its last blocks, or those that `lender` lends
  /// it, which may be null.
  FlashReadCache(const DriveFlashConfig& settings, const Ports& ports, TranslationLayer& inner, BlockLender* lender = nullptr);

  [[nodiscard]] std::uint64_t user_sectors() const override { return inner_.user_sectors(); }
  Task<Status> format() override {
    blocks_.format();
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
  void restored(LogicalRun run) override { inner_.restored(run); }
  Task<Status> flush() override { return inner_.flush(); }
  Task<Status> trim(LogicalRun run) override;
  [[nodiscard]] LogicalRun first_held(LogicalRun run) override { return inner_.first_held(run); }
  Task<Status> reset(LogicalRun zone) override;
  void start_background() override { inner_.start_background(); }
  [[nodiscard]] bool idle() const override { return !filling_ && inner_.idle(); }
  void prefill(std::uint64_t sectors) override { inner_.prefill(sectors); }
  void report(MetricSet& metrics) const override;

 private:
  /// Where a sector is: a subpage of the cache's part of the flash, or after all of these a slot of the staging buffer.
  using Place = std::uint32_t;
  static constexpr Place none = DramHashMap::none;
  struct Scratch {
    std::vector<Place> places;
    std::vector<FlashCommand> commands;
  };
  [[nodiscard]] bool is_staged(Place place) const { return place >= blocks_.places(); }
  [[nodiscard]] std::uint32_t slot_of(Place place) const { return place - blocks_.places(); }
  /// Of a place in flash: its subpage of the whole flash.
  [[nodiscard]] std::uint64_t subpage(Place place) const { return first_block_ * shape_.block_subpages() + place; }
  [[nodiscard]] Place find(LogicalSector sector) const;
  [[nodiscard]] bool find_all(LogicalRun run, std::vector<Place>& places) const;
  void enter(LogicalSector sector, Place place);
  void drop(LogicalSector sector);
  void drop(LogicalRun run);
  void forget(std::uint64_t sector) override;
  void give_up(LogicalSector sector, Place place);

  [[nodiscard]] Task<Status> look_up(LogicalRun run, DataSpan data);
  [[nodiscard]] Task<bool> read_held(LogicalRun run, DataSpan data, Scratch& scratch);

  // Admission and eviction
  [[nodiscard]] bool is_elsewhere(LogicalSector sector) const;
  [[nodiscard]] bool wanted(LogicalSector sector);
  void admit(LogicalRun run, DataSpan data);
  [[nodiscard]] Task<void> fill();
  [[nodiscard]] Task<void> program();
  [[nodiscard]] std::uint32_t gather(std::uint32_t most);
  void aim_at_open_blocks();
  void settle(const FlashCommand& command, std::uint32_t slot);
  void end_page(CleanUnits::Unit block);

  DriveFlashConfig settings_;
  Ports ports_;
  TranslationLayer& inner_;
  FlashShape shape_;
  BlockLender* lender_;
  std::uint64_t first_block_;
  std::uint32_t blocks_count_;
  std::uint32_t largest_read_;                       // in sectors
  std::uint32_t stage_size_;                         // in sectors
  DramHashMap index_;                                // place by sector
  DramArray<std::uint64_t> stage_owners_;            // by slot of the staging buffer: sector plus one; 0: none
  CleanUnits blocks_;                                // whose places are subpages
  std::optional<DramArray<std::uint32_t>> history_;  // by hash: sector plus one of the one that was read last, cut to 32 bits
  DataBuffer stage_;
  std::uint32_t stage_first_ = 0;       // the slot that was filled first
  std::uint32_t staged_ = 0;            // slots in use, a ring from there on
  std::vector<FlashCommand> commands_;  // of fill()
  std::vector<std::uint32_t> slots_;    // whose sectors they program
  ScratchPool<Scratch> scratches_;
  Gauge held_;
  bool filling_ = false;

  std::uint64_t hits_ = 0;
  std::uint64_t misses_ = 0;
  std::uint64_t admitted_ = 0;
  std::uint64_t skipped_ = 0;
  std::uint64_t programmed_ = 0;
  std::uint64_t invalidated_ = 0;
  std::uint64_t unreadable_ = 0;
  std::uint64_t failed_programs_ = 0;
};

}  // namespace tessera
