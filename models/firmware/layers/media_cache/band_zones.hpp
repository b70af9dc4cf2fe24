#pragma once
// The zones that a host sees over the bands (layers/host_aware), as the media cache asks for them. Sectors are those of the media cache.
#include "firmware/layers/media_cache/extent_map.hpp"
#include "firmware/ports/media_port.hpp"

namespace tessera::media_cache {

/// How a write goes on its way.
enum class WriteWay : std::uint8_t { log, band };

class BandZones {
 public:
  virtual ~BandZones() = default;

  /// Where the zone of a sector ends.
  [[nodiscard]] virtual LogicalSector zone_end(LogicalSector sector) const = 0;
  /// The end of what its zones hold of a band: its begin, where that is nothing.
  [[nodiscard]] virtual LogicalSector held_end(LogicalRun band) const = 0;
  /// Whether a destroyed sector may have held data since the reset of its zone.
  [[nodiscard]] virtual bool may_have_held(LogicalSector sector) const = 0;
  /// Whether a write from there on continues all that its zone got so far.
  [[nodiscard]] virtual bool at_pointer(LogicalSector first) const = 0;
  /// A write, or a part of one, is on its way; `run` may lie in several zones.
  virtual void begun(LogicalRun run, WriteWay way) = 0;

  /// Before sectors of one zone are written to its band at the pointer, one such write of a zone after the other: what a boot needs to find
  /// them is durable on return.
  [[nodiscard]] virtual Task<Status> before_band_write(LogicalRun run) = 0;
  /// For the out-of-band bytes of the last of such sectors on a track: the zone is written up to `end`.
  [[nodiscard]] virtual SectorHeader mark(LogicalSector end) const = 0;
  virtual void band_written(LogicalRun run, Status status) = 0;

  /// Before a merge of the band takes marks away, and extents from the log: the pointers of its zones are durable on return.
  [[nodiscard]] virtual Task<Status> before_merge(LogicalRun band) = 0;
  /// The log may hold less of `run` than before, after a merge or a TRIM.
  virtual void freed(LogicalRun run) = 0;

  /// A zone was reset while the log's head was there: durable on return.
  [[nodiscard]] virtual Task<Status> record_reset(LogicalSector first, std::uint64_t head) = 0;
  /// Boot: whether the extent is from before the last reset of its zone.
  [[nodiscard]] virtual bool is_void(const Extent& extent) const = 0;
  /// The furthest head of any reset.
  [[nodiscard]] virtual std::uint64_t newest_reset() const = 0;
};

}  // namespace tessera::media_cache
