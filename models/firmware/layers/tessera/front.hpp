#pragma once
// What our own layers share: tiers in front of the layer in which sectors are at home. Writes are acknowledged from a buffer in dumped
// DRAM; what leaves it goes to flash as far as that keeps up, the rest home.
#include <memory>

#include "firmware/caches/write_cache.hpp"
#include "firmware/flash/flash_tier.hpp"
#include "firmware/layers/home_layer.hpp"
#include "firmware/layers/tessera/front_config.hpp"

namespace tessera::tiers {

class Front : public TranslationLayer {
 public:
  [[nodiscard]] std::uint64_t user_sectors() const final { return home_->user_sectors(); }
  Task<Status> format() final { return top_->format(); }
  Task<Status> recover() final { return top_->recover(); }
  void received(LogicalRun run) final { top_->received(run); }
  Task<Status> read(LogicalRun run, DataSpan data) override { return top_->read(run, data); }
  Task<Status> write(LogicalRun run, DataSpan data, WriteOptions options) final { return top_->write(run, data, options); }
  bool holds(LogicalRun run) final { return top_->holds(run); }
  bool absorbs(LogicalRun run) final { return top_->absorbs(run); }
  bool takes_parts(LogicalRun run, std::uint32_t head, std::uint32_t tail) final { return top_->takes_parts(run, head, tail); }
  Task<Status> flush() final { return top_->flush(); }
  Task<Status> trim(LogicalRun run) final { return top_->trim(run); }
  [[nodiscard]] LogicalRun first_held(LogicalRun run) final { return top_->first_held(run); }
  void start_background() final { top_->start_background(); }
  [[nodiscard]] bool idle() const final { return top_->idle(); }
  void prefill(std::uint64_t sectors) final { top_->prefill(sectors); }
  void report(MetricSet& metrics) const final { top_->report(metrics); }
  [[nodiscard]] std::vector<ReadDoubt> in_doubt() const final { return home_->in_doubt(); }
  [[nodiscard]] BandLevels band_levels() const final { return flash_ != nullptr ? flash_->band_levels() : home_->band_levels(); }

 protected:
  Front(const Ports& ports, const FrontConfig& config, const DriveGeometry& geometry, const FormatPlan& plan,
        std::unique_ptr<HomeLayer> home);

  std::unique_ptr<HomeLayer> home_;
  std::unique_ptr<FlashTier> flash_;    // none: what leaves the buffer goes home
  std::unique_ptr<WriteCache> buffer_;  // none: writes are acknowledged when they are on flash or platters
  TranslationLayer* top_;
};

}  // namespace tessera::tiers
