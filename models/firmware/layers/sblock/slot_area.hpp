#pragma once
// The slots of the regions on the platters. The last sector of a slot carries whose S-block the slot holds and its position in the
// region's log: it is there only if the whole slot is, so writing the S-block is the commit. It tells of the slot in front, too: where
// that one's last sector cannot be read, the S-block is there all the same, as a log is written in order.
#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "firmware/flash/band_layout.hpp"
#include "firmware/layers/sblock/region_logs.hpp"
#include "firmware/logs/header_scan.hpp"
#include "firmware/translation_layer.hpp"

namespace tessera::sblock {

/// What a slot says of itself.
struct SlotRecord {
  std::uint64_t sblock = 0;    ///< counted over the whole drive
  std::uint64_t position = 0;  ///< in the log of its region
  std::uint64_t before = 0;    ///< S-block at the position in front, where there is one
};

class SlotArea {
 public:
  /// `regions`: shingled, of shape.slots slots each.
  SlotArea(const Ports& ports, const DriveGeometry& geometry, const FormatPlan& regions, const LogShape& shape,
           std::uint32_t sblock_sectors);

  [[nodiscard]] std::uint32_t regions() const { return static_cast<std::uint32_t>(layout_.bands()); }
  [[nodiscard]] const LogShape& shape() const { return shape_; }
  [[nodiscard]] std::uint32_t sblock_sectors() const { return sblock_sectors_; }

  /// Reads sectors of a slot from `first` on.
  [[nodiscard]] Task<Status> read(std::uint32_t region, std::uint32_t slot, std::uint32_t first, DataSpan data, MediaClass priority,
                                  LostSectors lost);
  /// Writes the whole slot at the record's position; damages what lies within the internal guard. Durable on return; after a cut, or a
  /// status that is not ok, the slot does not have this record.
  [[nodiscard]] Task<Status> write(std::uint32_t region, SlotRecord record, DataSpan data, MediaClass priority);
  /// Boot after a power cut: what was written without a gap from `position` on.
  [[nodiscard]] Task<void> scan_from(std::uint32_t region, std::uint64_t position, std::vector<SlotRecord>& found);
  /// Boot after a power cut: all that the slots of the region hold, in the order of their positions.
  [[nodiscard]] Task<void> scan_all(std::uint32_t region, std::vector<SlotRecord>& found);

 private:
  using Slots = std::array<std::optional<SlotRecord>, HeaderScan::most>;
  /// What `count` slots say of themselves; slot numbers go round.
  [[nodiscard]] Task<void> read_records(std::uint32_t region, std::uint64_t first, std::uint32_t count, Slots& slots);

  MediaPort& media_;
  LogShape shape_;
  std::uint32_t sblock_sectors_;
  BandLayout layout_;
};

}  // namespace tessera::sblock
