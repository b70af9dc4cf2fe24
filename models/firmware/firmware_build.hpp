#pragma once
// A whole firmware: a translation layer, the caches in front of it, and the command server.
#include <memory>
#include <string>

#include "firmware/caches/flash_front.hpp"
#include "firmware/caches/read_cache.hpp"
#include "firmware/caches/write_cache.hpp"
#include "firmware/command_server.hpp"
#include "firmware/defects/defect_manager.hpp"
#include "firmware/drive_firmware.hpp"
#include "firmware/ports/memory_placement.hpp"
#include "firmware/refresh/track_refresh.hpp"
#include "firmware/scan/media_scan.hpp"
#include "firmware/translation_layer.hpp"

namespace tessera {

struct FirmwareConfig {
  WriteCacheConfig write_cache;
  ReadCacheConfig read_cache;
  DriveFlashConfig flash_cache;
  DefectsConfig defects;
  RefreshConfig refresh;
  MediaScanConfig media_scan;
  OverheadsConfig overheads;
  MemoryPlacement placement;
  CleaningArm cleaning_arm = CleaningArm::any;
  bool zeros_after_trim = false;

  void describe(ParameterVisitor& visitor);
  /// As LayerFactory::knows_lost_pages() and knows_lost_records(), of what is in front of the layer.
  [[nodiscard]] bool knows_lost_pages() const { return !flash_cache.caches_writes() || flash_cache.dump_tags; }
  [[nodiscard]] bool knows_lost_records() const { return !flash_cache.caches_writes(); }
  /// A sentence why this firmware cannot run on `plan`, or nothing.
  [[nodiscard]] std::string problem(const FormatPlan& plan, std::uint32_t sector_bytes) const;
};

/// Host commands go through command server, flash read cache, read cache, write cache, flash tier and layer, in this order; caches of no
/// capacity are left out. The flash read cache is in front of those in DRAM to know what the host reads. Below the layer, where the drive
/// has spare tracks, is its defect management; elsewhere what the layer names. Between the two, where asked for, tracks are refreshed.
class Firmware final : public DriveFirmware {
 public:
  /// config.problem(plan, ...) must be empty, and the factory must have made `plan` for this geometry. Without `make_front` no flash cache
  /// can be had.
  Firmware(const FirmwareConfig& config, const LayerFactory& factory, const Ports& ports, const DriveGeometry& geometry,
           const FormatPlan& plan, MakeFlashFront make_front = nullptr);

  [[nodiscard]] Task<Status> boot(bool after_power_cut) override;
  /// A drive that takes no more writes answers them, and TRIMs, with `read_only`.
  [[nodiscard]] Task<void> serve(HostCommand& command) override;
  [[nodiscard]] bool idle() const override { return server_->idle() && (refresh_ == nullptr || refresh_->idle()); }

  [[nodiscard]] std::uint64_t user_sectors() const override { return top_->user_sectors(); }
  [[nodiscard]] std::uint32_t conventional_zones() const override;
  void prefill(std::uint64_t sectors) override { top_->prefill(sectors); }
  void report(MetricSet& metrics) const override;
  [[nodiscard]] BandLevels band_levels() const override { return layer_->band_levels(); }
  [[nodiscard]] std::vector<ReadDoubt> reads_in_doubt() const override;
  [[nodiscard]] std::vector<ZoneDescriptor> zones() const override;

 private:
  [[nodiscard]] TranslationLayer& below_read_cache() const;
  [[nodiscard]] TranslationLayer& caches() const;
  Task<Status> boot_below(bool after_power_cut);
  Task<Status> boot_all(bool after_power_cut);
  Task<void> serve_below(HostCommand& command);
  Task<void> serve_and_tell(HostCommand& command);
  Task<void> serve_or_refuse(HostCommand& command);
  Task<Status> boot_and_refresh(bool after_power_cut);
  Task<Status> boot_and_scan(bool after_power_cut);
  Task<void> serve_and_scan(HostCommand& command);
  Task<Status> boot_from_table();
  Task<void> refuse(HostCommand& command);

  std::unique_ptr<TrackRefresh> refresh_;  // null: off
  CleaningArms cleaning_;
  std::unique_ptr<GuestPolicy> policy_;  // null: the layer's own decides
  Ports ports_;
  std::unique_ptr<FlashFront> flash_front_;
  std::unique_ptr<TranslationLayer> layer_;
  TranslationLayer* home_;  // the layer, or what is right in front of it
  std::unique_ptr<WriteCache> write_cache_;
  std::unique_ptr<ReadCache> read_cache_;
  TranslationLayer* top_;
  std::unique_ptr<CommandServer> server_;
  DefectManager* defects_;                       // the supervisor of a drive with spare tracks; null elsewhere
  std::unique_ptr<MediaSupervisor> supervisor_;  // behind all others: their addresses in DRAM do not depend on it
  std::unique_ptr<MediaScan> scan_;              // null: off
};

}  // namespace tessera
