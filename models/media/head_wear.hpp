#pragma once
// Heat-assisted heads wear by what they write.
#include <cstdint>
#include <vector>

#include "base/metrics.hpp"
#include "base/state_stream.hpp"
#include "media/media_config.hpp"

namespace tessera {

class HeadWear {
 public:
  explicit HeadWear(const MediaConfig& config);

  /// Whether heads wear at all.
  [[nodiscard]] bool any() const { return life_ != 0; }
  /// The head of a surface wrote so many sectors.
  void written(std::uint32_t surface, std::uint32_t sectors) { written_[surface] += sectors; }
  /// Sectors of a million at which a write of the surface's head stops because it has worn out.
  [[nodiscard]] std::uint32_t faults_per_million(std::uint32_t surface) const {
    return any() && written_[surface] > life_ ? worn_faults_ : 0;
  }
  /// Adds the metrics `media.head.N.wear` and `media.wear.used`.
  void report(MetricSet& metrics) const;

  void save_state(StateWriter& out) const;
  void load_state(StateReader& in);

 private:
  std::uint64_t life_;  // in sectors
  std::uint32_t worn_faults_;
  std::vector<std::uint64_t> written_;  // sectors, by surface
};

}  // namespace tessera
