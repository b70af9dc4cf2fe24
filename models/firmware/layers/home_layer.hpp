#pragma once
// A layer in which sectors are at home, as the tiers in front of it see it (layers/tessera).
#include <vector>

#include "firmware/translation_layer.hpp"

namespace tessera {

class HomeLayer : public TranslationLayer {
 public:
  /// What it reports but for its map, of which a layer around it has a part: by the sources' account, and as it is.
  virtual void report_work(MetricSet& metrics) const = 0;
  [[nodiscard]] virtual Bytes paper_map_bytes() const = 0;
  [[nodiscard]] virtual Bytes map_bytes() const = 0;

  /// With sectors that a layer around it caches, too; what both hold counts once.
  [[nodiscard]] virtual BandLevels band_levels_with(const std::vector<LogicalSector>&) const { return {}; }
};

}  // namespace tessera
