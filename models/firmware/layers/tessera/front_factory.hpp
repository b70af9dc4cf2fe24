#pragma once
// What the factories of our own layers have in common: `Config` is a FrontConfig that plans the layer's regions.
#include "firmware/layers/configured_factory.hpp"
#include "firmware/layers/tessera/front_config.hpp"

namespace tessera::tiers {

template <class Layer, class Config>
class FrontFactory : public ConfiguredFactory<Layer, Config> {
 public:
  using ConfiguredFactory<Layer, Config>::ConfiguredFactory;

  [[nodiscard]] bool needs_flash() const final { return this->config_.uses_flash(); }
  [[nodiscard]] bool has_buffer() const final { return this->config_.buffered(); }
  [[nodiscard]] FormatPlan plan(const DriveGeometry& geometry, std::string& problem) const final {
    return this->config_.plan(geometry, problem);
  }
  [[nodiscard]] std::string check_flash(const FlashShape& shape) const final { return this->config_.problem_with(shape); }
  [[nodiscard]] std::vector<std::string> warnings(const FlashShape& shape) const final { return this->config_.warnings_of(shape); }
  [[nodiscard]] bool knows_lost_pages() const final { return this->config_.knows_lost_pages(); }
  [[nodiscard]] bool knows_lost_records() const final { return false; }
};

}  // namespace tessera::tiers
