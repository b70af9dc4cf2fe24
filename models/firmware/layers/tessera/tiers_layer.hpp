#pragma once
// The layer `tessera`: tiers, each of which does what it is fastest at. Behind buffer and flash lies a log of packets on conventional
// tracks, and from there, when the log is full, data goes to shingled bands.
#include "firmware/layers/media_cache/media_cache_layer.hpp"
#include "firmware/layers/tessera/front.hpp"
#include "firmware/layers/tessera/tiers_config.hpp"

namespace tessera::tiers {

class Tiers final : public Front {
 public:
  Tiers(const Ports& ports, const TiersConfig& config, const DriveGeometry& geometry, const FormatPlan& plan)
      : Front(ports, config, geometry, plan, std::make_unique<media_cache::MediaCache>(ports, config.bands(geometry), geometry, plan)) {}

  /// For tests.
  [[nodiscard]] const media_cache::MediaCache& bands() const { return static_cast<const media_cache::MediaCache&>(*home_); }
};

}  // namespace tessera::tiers
