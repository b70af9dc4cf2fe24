#pragma once
// Interlaced recording with read-modify-write: M. H. Hajkazemi, A. N. Kulkarni, P. Desnoyers, T. R. Feldman, "Track-based
// Translation Layers for Interlaced Magnetic Recording", USENIX ATC 2019, section 2.1. Sectors have fixed places; how a bottom
// track is written is in firmware/interlaced/read_modify_write.hpp.
#include "firmware/interlaced/interlaced_layer.hpp"

namespace tessera {

struct ImrRmwConfig : InterlacedConfig {
  bool paper = false;

  void describe(ParameterVisitor& visitor) {
    InterlacedConfig::describe(visitor);
    visitor.field("paper", paper, "as published: tracks begin at equal angles, so that the next one in order is reached a turn late");
  }
};

class ImrReadModifyWrite final : public InterlacedLayer {
 public:
  using InterlacedLayer::InterlacedLayer;

  void report_work(MetricSet& metrics) const override { rmw_.report(metrics); }
  /// None: one bit a track, of tops that hold data, is no map.
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
