#pragma once
// What all layers on interlaced tracks have in common: parameters, and what they ask of a drive.
#include <string>

#include "base/format.hpp"
#include "base/geometry.hpp"
#include "base/parameter.hpp"
#include "firmware/backup/backup_region.hpp"
#include "firmware/layout/interlaced_layout.hpp"
#include "firmware/layout/plan_regions.hpp"

namespace tessera {

struct InterlacedConfig {
  double top_ratio = 1.0;      // the paper's runs; real tops hold about 0.9 (its section 1)
  std::uint32_t layout_n = 1;  // 1 for the paper's runs, 256 for realistic ones
  InterlacedOrder order = InterlacedOrder::zig_zag;
  ReservedPlace backup_place = ReservedPlace::middle;
  // Of n read-modify-writes one is under the head, and the disk channel chooses among n - 1. Three are worth most of what 15 are
  // (docs/layers/imr-rmw.md), and four staging buffers of two tracks take 16 MiB on drives of 2 MiB tracks, like a zone's merge buffer.
  // Where many reads come between, one slot has the lower latency.
  std::uint32_t backup_slots = 4;
  std::uint32_t journal_tracks = 0;
  bool skip_unwritten = true;
  bool ack_early = false;

  void describe(ParameterVisitor& visitor);
  /// A radius where the reserved tracks will lie, as far as its zone goes.
  [[nodiscard]] std::uint32_t reserved_radius(const DriveGeometry& geometry) const;
  /// Slots for the sectors of both tops of a write.
  [[nodiscard]] BackupRegion::Shape backup_shape(const DriveGeometry& geometry) const;
  /// A region of data like all of a layer's. The paper's tracks hold equal numbers at equal angles.
  [[nodiscard]] Region data(bool paper) const;
  /// The conventional regions of the layer: the backup region, `more` and the journal.
  [[nodiscard]] FormatPlan reserved(const DriveGeometry& geometry, const FormatPlan& more) const;
  /// Regions of a layer that needs nothing else; empty, with a sentence in `problem`, where they do not fit.
  [[nodiscard]] FormatPlan plan(const DriveGeometry& geometry, bool paper, std::string& problem) const;
};

}  // namespace tessera
