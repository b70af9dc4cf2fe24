#pragma once
// A host-aware disk: a media cache that a host may write anywhere, and zones over it that it may write in order. What comes at a zone's
// write pointer goes to its band at once; everything else goes through the cache. Zones know nothing of where bands end.
//
// What a power cut must leave: pointers after all that is on the platters, and no data from before a reset over data since. A record in
// the log of the pointers stands for what is written in front of it; after it marks on the tracks of the bands do (zoned/zone_marks.hpp),
// or the log of the media cache itself.
#include <vector>

#include "firmware/layers/host_aware/host_aware_config.hpp"
#include "firmware/layers/host_aware/preferred_zones.hpp"
#include "firmware/layers/media_cache/media_cache_layer.hpp"
#include "firmware/layers/zoned/zone_ledger.hpp"
#include "firmware/layers/zoned/zone_search.hpp"
#include "firmware/layout/conventional_layout.hpp"

namespace tessera::host_aware {

class HostAware final : public TranslationLayer, public ZoneCommands, private media_cache::BandZones {
 public:
  HostAware(const Ports& ports, const HostAwareConfig& config, const DriveGeometry& geometry, const FormatPlan& plan);

  // TranslationLayer
  [[nodiscard]] std::uint64_t user_sectors() const override { return std::uint64_t{zones()} * zone_sectors_; }
  Task<Status> format() override;
  Task<Status> recover() override;
  void received(LogicalRun run) override;
  void restored(LogicalRun run) override;
  Task<Status> read(LogicalRun run, DataSpan data) override { return read_as(MediaClass::host, run, data); }
  Task<Status> read_behind(LogicalRun run, DataSpan data) override { return read_as(MediaClass::background, run, data); }
  Task<Status> write(LogicalRun run, DataSpan data, WriteOptions options) override;
  Task<Status> flush() override { return cache_.flush(); }
  Task<Status> trim(LogicalRun run) override;
  Task<Status> reset(LogicalRun zone) override {
    return manage(HostOp::zone_reset, static_cast<std::uint32_t>(zone.first.value() / zone_sectors_));
  }
  void start_background() override { cache_.start_background(); }
  [[nodiscard]] bool idle() const override { return cache_.idle(); }
  void prefill(std::uint64_t sectors) override;
  [[nodiscard]] ZoneCommands* zone_commands() override { return this; }
  void report(MetricSet& metrics) const override;

  // ZoneCommands
  [[nodiscard]] std::uint32_t zones() const override { return conventional_ + zones_.zones(); }
  [[nodiscard]] std::uint64_t zone_blocks() const override { return std::uint64_t{zone_sectors_} * per_sector_; }
  [[nodiscard]] ZoneDescriptor describe(std::uint32_t zone) const override;
  [[nodiscard]] Status admit_read(HostRun) override { return Status::ok; }
  [[nodiscard]] Status admit_write(HostRun) override { return Status::ok; }
  /// The pointer stays: a host may go on after it, and what is in front of it can be written at any time.
  void withdraw(HostRun) override {}
  [[nodiscard]] std::vector<ReadDoubt> in_doubt() const override;
  [[nodiscard]] bool concerns(HostOp op, std::uint32_t zone) const override;
  [[nodiscard]] Task<Status> manage(HostOp op, std::uint32_t zone) override;

  /// For tests.
  [[nodiscard]] const media_cache::MediaCache& cache() const { return cache_; }

 private:
  /// Part of a run in one zone; sectors from the zone's begin.
  struct Piece {
    std::uint32_t zone = 0;
    std::uint32_t first = 0;
    std::uint32_t count = 0;
    [[nodiscard]] std::uint32_t end() const { return first + count; }
  };
  [[nodiscard]] std::uint64_t conventional_sectors() const { return std::uint64_t{conventional_} * zone_sectors_; }
  /// The beginning of a run of the media cache's sectors.
  [[nodiscard]] Piece piece_of(LogicalRun run) const;
  [[nodiscard]] LogicalRun run_of(std::uint32_t zone) const { return {LogicalSector(std::uint64_t{zone} * zone_sectors_), zone_sectors_}; }
  /// The beginning of `run`, as far as it is conventional or is not, as the part after the conventional zones counts it.
  struct Side {
    LogicalRun run;
    bool conventional = false;
  };
  [[nodiscard]] Side side_of(LogicalRun run) const;
  [[nodiscard]] Task<Status> read_as(MediaClass priority, LogicalRun run, DataSpan data);
  [[nodiscard]] Task<Status> transfer(MediaOp op, LogicalRun run, DataSpan data, MediaClass priority);

  // Boot
  /// Sectors below a pointer of which a mark could have told that they were written, had the boot been able to read it.
  struct Doubt {
    LogicalRun run;
    LogicalSector unread;
  };
  [[nodiscard]] Task<Status> find_pointers();
  void note_doubt(std::uint32_t zone, const zoned::ZoneSearch::Found& found);
  [[nodiscard]] Task<Status> lose_doubtful();
  [[nodiscard]] Task<Status> note_forgotten();

  // Records
  [[nodiscard]] Task<Status> record(std::uint32_t zone, std::uint32_t written, bool marked);
  [[nodiscard]] Task<Status> record_oldest_marked();
  void unmark(std::uint32_t zone);
  void settle_non_sequential(LogicalRun run);

  // BandZones
  [[nodiscard]] LogicalSector zone_end(LogicalSector sector) const override;
  [[nodiscard]] LogicalSector held_end(LogicalRun band) const override;
  [[nodiscard]] bool may_have_held(LogicalSector sector) const override;
  [[nodiscard]] bool at_pointer(LogicalSector first) const override;
  void begun(LogicalRun run, media_cache::WriteWay way) override;
  [[nodiscard]] Task<Status> before_band_write(LogicalRun run) override;
  [[nodiscard]] SectorHeader mark(LogicalSector end) const override;
  void band_written(LogicalRun run, Status status) override;
  [[nodiscard]] Task<Status> before_merge(LogicalRun band) override;
  void freed(LogicalRun run) override { settle_non_sequential(run); }
  [[nodiscard]] Task<Status> record_reset(LogicalSector first, std::uint64_t head) override;
  [[nodiscard]] bool is_void(const media_cache::Extent& extent) const override;
  [[nodiscard]] std::uint64_t newest_reset() const override;

  Ports ports_;
  std::uint32_t zone_sectors_;
  std::uint32_t per_sector_;  ///< host blocks
  std::uint32_t optimal_open_;
  ConventionalLayout conventional_layout_;
  std::uint32_t conventional_;  ///< zones
  media_cache::MediaCache cache_;
  PreferredZones zones_;
  zoned::ZoneLedger ledger_;
  zoned::ZoneSearch search_;
  FifoMutex records_;
  std::vector<std::uint32_t> marked_;  // zones of which a boot has to look for marks, in the order of their records
  std::vector<Doubt> doubts_;          // of this boot, one after the other
  std::uint64_t resets_ = 0;
  std::uint64_t finishes_ = 0;
  std::uint64_t searched_ = 0;
};

}  // namespace tessera::host_aware
