#pragma once
// A flash cache over shingled bands in which a sector's newest copy lies on any page: what Skylight and PORE share. A layer says
// how the flash is divided into spaces, and how a full one is cleaned.
//
// Every operation holds the space of its band: requests share it, whoever cleans has it alone. A task that holds a piece of the
// sector map takes no lock.
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "firmware/flash/band_cache_config.hpp"
#include "firmware/flash/band_layout.hpp"
#include "firmware/flash/band_map.hpp"
#include "firmware/flash/band_merge.hpp"
#include "firmware/flash/band_reader.hpp"
#include "firmware/flash/cache_statistics.hpp"
#include "firmware/flash/page_owners.hpp"
#include "firmware/flash/page_scan.hpp"
#include "firmware/flash/page_space.hpp"
#include "firmware/flash/shared_pages.hpp"
#include "firmware/layout/following_trims.hpp"
#include "firmware/locks/number_locks.hpp"
#include "firmware/tables/scratch_pool.hpp"
#include "firmware/tables/sector_map.hpp"
#include "firmware/translation_layer.hpp"

namespace tessera {

/// Parameters of both layers; what the papers leave open is marked.
struct FlashCacheConfig : BandCacheConfig {
  SectorMapConfig map;
  FreeOrder free_list = FreeOrder::fifo;  // ours
  std::uint32_t parallel = 1;             // ours: the paper's cache writes one page after the other

  void describe_cache(ParameterVisitor& v);
  /// Bands, merge log and map pages; empty, with a sentence in `problem`, where they do not fit.
  [[nodiscard]] FormatPlan plan(const DriveGeometry& geometry, std::string& problem) const;
  /// A sentence why a cache of `least` blocks or more cannot be in this flash, or nothing.
  [[nodiscard]] std::string check_flash(const std::string& layer, const FlashShape& shape, std::uint64_t least) const;
};

static_assert(SectorMap::none == OobCodec::no_page);

class FlashCacheLayer : public TranslationLayer, private SharedPages::Source {
 public:
  [[nodiscard]] std::uint64_t user_sectors() const override { return std::uint64_t{bands_} * layout_.band_sectors(); }
  Task<Status> format() override;
  Task<Status> recover() override;
  Task<Status> read(LogicalRun run, DataSpan data) override;
  Task<Status> write(LogicalRun run, DataSpan data, WriteOptions options) override;
  Task<Status> trim(LogicalRun run) override;
  Task<Status> flush() override { co_return Status::ok; }  // what was acknowledged is on flash
  [[nodiscard]] bool idle() const override { return !checkpoint_ || !checkpoint_->writing(); }
  void prefill(std::uint64_t) override {}  // every sector has its place in its band from the start; flash is a cache
  [[nodiscard]] BandLevels band_levels() const override;

  /// For tests and examples.
  [[nodiscard]] const PageOwners& owners() const { return owners_; }
  [[nodiscard]] const PageSpace& space(std::uint32_t number) const { return spaces_[number]; }

 protected:
  /// Valid pages are listed by regions of `region_sectors`. The flash is divided into `spaces` equal ones.
  FlashCacheLayer(const Ports& ports, const FlashCacheConfig& config, const DriveGeometry& geometry, const FormatPlan& plan,
                  std::uint64_t region_sectors, std::uint32_t spaces);

  [[nodiscard]] virtual std::uint32_t space_of(std::uint32_t band) const = 0;
  /// How many of `count` sectors may be written to the space now; 0: space has to be made first.
  [[nodiscard]] virtual std::uint32_t admits(const PageSpace& space, std::uint32_t count) const = 0;
  /// Cleans a space that the caller holds alone, so that it admits sectors again.
  [[nodiscard]] virtual Task<Status> make_room(std::uint32_t space) = 0;
  /// Free blocks that only cleaning may use.
  [[nodiscard]] virtual std::uint32_t reserve() const { return 0; }
  /// The host's sector was programmed to `page`; `update`: there was a cached copy of it.
  virtual void stored(LogicalSector, std::uint32_t, bool) {}
  /// The host read a cached sector.
  virtual void read_hit(LogicalSector, std::uint32_t) {}
  /// Whether a page leaves the cache when its band is merged.
  [[nodiscard]] virtual bool leaves(std::uint32_t) const { return true; }
  /// After a boot: valid pages are listed by age.
  virtual void restored() {}

  /// The read-modify-write of a band; pages that leave() are not cached any more. The caller holds the band's space alone.
  [[nodiscard]] Task<Status> merge_band(std::uint32_t band);
  [[nodiscard]] std::uint32_t band_of(LogicalSector sector) const {
    return static_cast<std::uint32_t>(sector.value() / layout_.band_sectors());
  }
  [[nodiscard]] LogicalSector band_start(std::uint32_t band) const { return LogicalSector(std::uint64_t{band} * layout_.band_sectors()); }
  /// Programs the pages of `commands`, or moves others there, which were taken of the space just now and whose data is set, as the newest
  /// ones of `sectors`; each command has its own status afterwards, and blocks that failed take no further page.
  [[nodiscard]] Task<void> program(std::uint32_t space, std::span<FlashCommand> commands, std::span<const LogicalSector> sectors);
  void report_common(MetricSet& metrics, Bytes paper_bytes, Bytes own_bytes) const;

  Ports ports_;
  bool in_place_;
  PairedPages paired_;
  BandLayout layout_;
  std::uint32_t bands_;  // U
  FlashShape shape_;
  OobCodec codec_;
  std::unique_ptr<SectorMap> map_;
  std::unique_ptr<TagCheckpoint> checkpoint_;  // none: boot reads every page
  PageOwners owners_;
  BandMap places_;
  BandMerge merge_;
  BandReader reader_;
  Gauge free_blocks_;
  std::vector<PageSpace> spaces_;
  SharedPages pages_;
  NumberLocks locks_;
  CacheStatistics statistics_;

 private:
  /// Working memory of one operation, reused by later ones.
  struct Scratch {
    std::vector<FlashCommand> commands;
    std::vector<std::uint32_t> pages;
    std::vector<LogicalSector> sectors;
  };
  void close_page(std::uint32_t space) override;
  [[nodiscard]] LogicalRun within_band(LogicalRun rest) const;
  Task<Status> read_piece(LogicalRun run, DataSpan data);
  Task<Status> write_piece(LogicalRun run, DataSpan data);
  Task<std::uint32_t> append(std::uint32_t space, LogicalRun run, DataSpan data);

  // Merging
  enum class Dropped : std::uint8_t { leaving, all };
  std::uint32_t gather(std::uint32_t band);
  Task<Status> drop(std::uint32_t band, Dropped which);
  void forget_gathered();
  Task<void> trim_band(std::uint32_t band, LogicalRun run);

  // Boot
  [[nodiscard]] bool live(const PageTag& tag) const;
  Task<Status> restore_map(const PageTags& tags);
  Task<void> restore_spaces(const PageTags& tags);

  FollowingTrims trims_;
  NumberLocks merging_;
  ScratchPool<Scratch> scratches_;
  ScratchPool<std::vector<std::byte>> images_;
  DramArray<std::uint32_t> table_;  // by sector of the band that is merged: its flash page
  std::uint64_t next_seq_ = 1;
  std::uint64_t updates_ = 0;  // written sectors of which there was a cached copy
};

}  // namespace tessera
