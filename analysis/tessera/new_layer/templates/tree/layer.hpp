#pragma once
// @NAME@: @SUMMARY@. How a bottom track is written is in firmware/interlaced/read_modify_write.hpp; this layer says where a sector lies.
#include "firmware/interlaced/interlaced_layer.hpp"

namespace tessera {

struct @CLASS@Config : InterlacedConfig {
  bool paper = false;

  void describe(ParameterVisitor& visitor) {
    InterlacedConfig::describe(visitor);
    visitor.field("paper", paper, "tracks begin at equal angles, so that the next one in order is reached a turn late");
  }
};

class @CLASS@ final : public InterlacedLayer {
 public:
  using InterlacedLayer::InterlacedLayer;

  void report_work(MetricSet& metrics) const override { rmw_.report(metrics); }
  /// None: sectors have fixed places.
  [[nodiscard]] Bytes paper_map_bytes() const override { return Bytes(); }
  [[nodiscard]] Bytes map_bytes() const override { return Bytes(); }

 private:
  [[nodiscard]] PhysicalRun place_of(LogicalRun run) override {
    ports_.cpu.array();
    return home_.piece(run);
  }
  [[nodiscard]] std::optional<LogicalSector> resident(PhysicalSector sector) const override { return home_.logical(sector); }
};

}  // namespace tessera
