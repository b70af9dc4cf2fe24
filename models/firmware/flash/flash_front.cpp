#include "firmware/caches/flash_front.hpp"

#include <optional>

#include "firmware/caches/flash_read_cache.hpp"
#include "firmware/caches/flash_share.hpp"
#include "firmware/flash/any_home.hpp"
#include "firmware/flash/flash_tier.hpp"

namespace tessera {

namespace {

Ports with_flash(Ports ports, FlashPort& flash) {
  ports.flash = &flash;
  return ports;
}

class Front final : public FlashFront {
 public:
  /// A tier has the first blocks: a layer that it is in front of uses none. It lends what reads are to have of them.
  Front(const DriveFlashConfig& config, const Ports& ports)
      : config_(config),
        ports_(ports),
        of_layer_(*ports.flash, config.blocks(ports.flash->shape())),
        of_tier_(*ports.flash, ports.flash->shape().blocks - config.blocks(ports.flash->shape())) {}

  [[nodiscard]] Ports ports_of_layer() override { return with_flash(ports_, of_layer_); }
  [[nodiscard]] TranslationLayer& below_caches(TranslationLayer& layer) override {
    if (!config_.caches_writes()) return layer;
    home_.emplace(layer);
    const std::uint32_t sector_bytes = ports_.memory.shape().sector_bytes;
    return tier_.emplace(with_flash(ports_, of_tier_), config_.write_tier(sector_bytes), *home_);
  }
  [[nodiscard]] TranslationLayer& above_caches(TranslationLayer& caches) override {
    if (!config_.caches_reads()) return caches;
    return reads_.emplace(config_, ports_, caches, tier_ ? &*tier_ : nullptr);
  }

 private:
  DriveFlashConfig config_;
  Ports ports_;
  FlashShare of_layer_;
  FlashShare of_tier_;
  std::optional<tiers::AnyHome> home_;
  std::optional<tiers::FlashTier> tier_;
  std::optional<FlashReadCache> reads_;
};

}  // namespace

std::unique_ptr<FlashFront> make_flash_front(const DriveFlashConfig& config, const Ports& ports) {
  return config.used() ? std::make_unique<Front>(config, ports) : nullptr;
}

}  // namespace tessera
