#pragma once
// The layer `tessera-imr`: buffer and flash in front of interlaced tracks. What is in front makes the way home cheaper: a write of a bottom
// need neither save nor restore a top whose newest copy is in front, since that will be written home once more anyway.
//
// That holds only while the copy in front is sure to be written home later than the write of the bottom: not of one that is on its way past
// the flash or out of it, nor of one of the buffer that is being destaged. A sector may thus be unreadable where it is at home; nobody
// looks for it there but a read that had begun before its newest copy came, and that looks again.
#include "firmware/layers/tessera/front.hpp"
#include "firmware/layers/tessera_imr/interlaced_tiers_config.hpp"

namespace tessera::tiers {

class InterlacedTiers final : public Front, private NewestCopies, private DestageOrderGuide {
 public:
  InterlacedTiers(const Ports& ports, const InterlacedTiersConfig& config, const DriveGeometry& geometry, const FormatPlan& plan);

  Task<Status> read(LogicalRun run, DataSpan data) override;

 private:
  [[nodiscard]] InterlacedLayer& tracks() { return static_cast<InterlacedLayer&>(*home_); }
  [[nodiscard]] bool in_front(LogicalSector sector) override;
  [[nodiscard]] std::array<std::optional<LogicalSector>, 2> before(LogicalSector sector) override { return tracks().below(sector); }
};

}  // namespace tessera::tiers
