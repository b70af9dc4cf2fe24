#include "firmware/layers/tessera/tiers_layer.hpp"

namespace tessera::tiers {

namespace {
constexpr WriteCacheNames buffer_names{
    "write_buffer", {"tessera.buffer_dirty_sectors", "1", "sectors of the layer's write buffer that are not yet destaged"}};
}  // namespace

Tiers::Tiers(const Ports& ports, const TiersConfig& config, const DriveGeometry& geometry, const FormatPlan& plan)
    : bands_(ports, config.bands(geometry), geometry, plan), top_(&bands_) {
  if (config.uses_flash()) {
    flash_ = std::make_unique<FlashTier>(ports, config.flash_tier(), bands_);
    top_ = flash_.get();
  }
  if (!config.buffered()) return;
  buffer_ = std::make_unique<WriteCache>(config.write_buffer(), ports, geometry, plan, *top_, buffer_names);
  top_ = buffer_.get();
}

}  // namespace tessera::tiers
