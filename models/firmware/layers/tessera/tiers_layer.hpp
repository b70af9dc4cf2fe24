#pragma once
// The layer `tessera`: tiers, each of which does what it is fastest at. Writes are acknowledged from a buffer in dumped DRAM; what leaves
// it goes to flash as far as that keeps up, the rest to a log of packets on conventional tracks, and from there, when the log is full, to
// shingled bands.
#include <memory>

#include "firmware/caches/write_cache.hpp"
#include "firmware/layers/media_cache/media_cache_layer.hpp"
#include "firmware/layers/tessera/flash_tier.hpp"
#include "firmware/layers/tessera/tiers_config.hpp"

namespace tessera::tiers {

class Tiers final : public TranslationLayer {
 public:
  Tiers(const Ports& ports, const TiersConfig& config, const DriveGeometry& geometry, const FormatPlan& plan);

  [[nodiscard]] std::uint64_t user_sectors() const override { return bands_.user_sectors(); }
  Task<Status> format() override { return top_->format(); }
  Task<Status> recover() override { return top_->recover(); }
  Task<Status> read(LogicalRun run, DataSpan data) override { return top_->read(run, data); }
  Task<Status> write(LogicalRun run, DataSpan data, WriteOptions options) override { return top_->write(run, data, options); }
  bool holds(LogicalRun run) override { return top_->holds(run); }
  bool absorbs(LogicalRun run) override { return top_->absorbs(run); }
  bool takes_parts(LogicalRun run, std::uint32_t head, std::uint32_t tail) override { return top_->takes_parts(run, head, tail); }
  Task<Status> flush() override { return top_->flush(); }
  Task<Status> trim(LogicalRun run) override { return top_->trim(run); }
  void start_background() override { top_->start_background(); }
  [[nodiscard]] bool idle() const override { return top_->idle(); }
  void prefill(std::uint64_t sectors) override { top_->prefill(sectors); }
  void report(MetricSet& metrics) const override { top_->report(metrics); }
  [[nodiscard]] BandLevels band_levels() const override { return flash_ != nullptr ? flash_->band_levels() : bands_.band_levels(); }

  /// For tests.
  [[nodiscard]] const media_cache::MediaCache& bands() const { return bands_; }

 private:
  media_cache::MediaCache bands_;
  std::unique_ptr<FlashTier> flash_;    // none: what leaves the buffer goes to the log
  std::unique_ptr<WriteCache> buffer_;  // none: writes are acknowledged when they are on the platters
  TranslationLayer* top_;
};

}  // namespace tessera::tiers
