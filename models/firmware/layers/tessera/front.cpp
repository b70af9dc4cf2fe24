#include "firmware/layers/tessera/front.hpp"

namespace tessera::tiers {

namespace {
constexpr WriteCacheNames buffer_names{
    "write_buffer", {"tessera.buffer_dirty_sectors", "1", "sectors of the layer's write buffer that are not yet destaged"}};
}  // namespace

Front::Front(const Ports& ports, const FrontConfig& config, const DriveGeometry& geometry, const FormatPlan& plan,
             std::unique_ptr<HomeLayer> home)
    : home_(std::move(home)), top_(home_.get()) {
  if (config.uses_flash()) {
    flash_ = std::make_unique<FlashTier>(ports, config.flash_tier(), *home_);
    top_ = flash_.get();
  }
  if (!config.buffered()) return;
  buffer_ = std::make_unique<WriteCache>(config.write_buffer(), ports, geometry, plan, *top_, buffer_names);
  top_ = buffer_.get();
}

}  // namespace tessera::tiers
