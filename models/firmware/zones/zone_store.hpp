#pragma once
// The shingled zones behind a buffer: reading them, and the zone-level write-back of the Amphisbaena paper (section 3, figure 4).
// A write-back is free of read-modify-write where all victims lie behind the zone's write pointer: they are appended, with padding
// in the gaps. Otherwise the zone is read, merged with the victims, and written to a spare zone (in place: to itself).
#include <cstdint>
#include <span>
#include <string>

#include "firmware/flash/band_layout.hpp"
#include "firmware/locks/range_locks.hpp"
#include "firmware/zones/hole_maps.hpp"
#include "firmware/zones/victims.hpp"
#include "firmware/zones/zone_config.hpp"
#include "firmware/zones/zone_map.hpp"
#include "firmware/zones/zone_statistics.hpp"

namespace tessera {

/// `count` sectors of one zone from `offset` on.
struct ZoneRun {
  std::uint32_t zone = 0;
  std::uint32_t offset = 0;
  std::uint32_t count = 0;
};

class ZoneStore {
 public:
  ZoneStore(const Ports& ports, const ZoneConfig& config, const DriveGeometry& geometry, const FormatPlan& plan,
            ZoneNotes* notes = nullptr);

  [[nodiscard]] std::uint32_t zones() const { return map_.zones(); }
  [[nodiscard]] std::uint32_t zone_sectors() const { return zone_sectors_; }
  [[nodiscard]] std::uint64_t user_sectors() const { return std::uint64_t{zones()} * zone_sectors_; }
  [[nodiscard]] std::uint32_t zone_of(LogicalSector sector) const { return static_cast<std::uint32_t>(sector.value() / zone_sectors_); }
  [[nodiscard]] std::uint32_t offset_of(LogicalSector sector) const { return static_cast<std::uint32_t>(sector.value() % zone_sectors_); }
  [[nodiscard]] LogicalSector sector_at(std::uint32_t zone, std::uint32_t offset) const {
    return LogicalSector(std::uint64_t{zone} * zone_sectors_ + offset);
  }
  [[nodiscard]] LogicalRun logical(ZoneRun run) const { return {sector_at(run.zone, run.offset), run.count}; }
  /// All sectors of a zone.
  [[nodiscard]] LogicalRun sectors_of(std::uint32_t zone) const { return {sector_at(zone, 0), zone_sectors_}; }
  /// The beginning of `run` that lies in one zone.
  [[nodiscard]] ZoneRun piece(LogicalRun run) const;

  [[nodiscard]] std::uint32_t write_pointer(std::uint32_t zone) const { return map_.state(zone).write_pointer; }
  [[nodiscard]] std::uint64_t watermark(std::uint32_t zone) const { return map_.state(zone).watermark; }
  /// For tests, without a charge.
  [[nodiscard]] const ZoneState& peek(std::uint32_t zone) const { return map_.peek(zone); }
  /// For BufferRegion::skip_sequences(): a zone must not take new data for void.
  [[nodiscard]] std::uint64_t newest_watermark() const { return map_.newest_watermark(); }
  /// Whether sector `offset` holds data and not padding, or nothing.
  [[nodiscard]] bool valid(std::uint32_t zone, std::uint32_t offset) const {
    return offset < write_pointer(zone) && holes_.valid(zone, offset);
  }
  /// Sectors that hold data.
  [[nodiscard]] std::uint32_t count_valid(std::uint32_t zone) const { return holes_.count_valid(zone, write_pointer(zone)); }

  [[nodiscard]] Task<Status> format() { return map_.format(); }
  [[nodiscard]] Task<Status> recover();
  /// Used state, before format(): the first `sectors` of the user space hold data of unknown content.
  void prefill(std::uint64_t sectors);

  /// The caller holds the zone, shared. What lies behind the write pointer was never written: it costs its visit to the platter, as
  /// old data would, but whatever is found there, remains of another zone or destroyed sectors, reads as never written.
  [[nodiscard]] Task<Status> read(ZoneRun run, DataSpan data);

  struct WriteBack {
    std::uint32_t zone = 0;
    std::uint64_t watermark = 0;  ///< copies of the zone's sectors in the buffer up to this one are void afterwards
  };
  /// The caller holds the zone alone. On return the victims are in their zone for good, and their copies in the buffer void; where
  /// the status is not ok, nothing has changed. One at a time; others wait.
  [[nodiscard]] Task<Status> write_back(WriteBack job, VictimSource& source);
  /// Makes a note of the layer durable; nothing else changes.
  [[nodiscard]] Task<Status> log(std::uint32_t zone, std::span<const std::byte> note);

  /// The caller holds the zone alone. The sectors hold no data any more. A power cut forgets that, unless the zone holds none at all: then
  /// it counts as never written, durable on return.
  [[nodiscard]] Task<void> trim(ZoneRun run);

  [[nodiscard]] const ZoneStatistics& statistics() const { return statistics_; }
  [[nodiscard]] std::uint64_t log_sectors() const { return map_.sectors_written(); }
  /// Metadata of the zones in DRAM.
  [[nodiscard]] Bytes bytes() const { return map_.bytes() + holes_.bytes(); }
  void report(MetricSet& metrics) const { statistics_.report(metrics); }

 private:
  /// What one write-back puts where.
  struct Image {
    bool appends = false;
    std::uint32_t from = 0;   ///< place of the zone
    std::uint32_t to = 0;     ///< place that is written
    std::uint32_t first = 0;  ///< sectors [first, end) are written
    std::uint32_t kept = 0;   ///< of them, those below are read from `from`; none when appending
    std::uint32_t end = 0;
    RewriteTimes times{};
  };
  [[nodiscard]] Task<Status> lower(std::uint32_t zone, std::uint32_t end);
  [[nodiscard]] Task<Status> write_image(Image& image, VictimSource& source);
  [[nodiscard]] std::uint32_t note_holes(std::uint32_t zone, std::span<const std::uint32_t> victims, const Image& image);
  /// What the host reads fails where a sector is lost; a merge carries it on.
  [[nodiscard]] Task<Status> transfer(MediaOp op, std::uint32_t place, std::uint32_t offset, DataSpan data, MediaClass priority);

  Ports ports_;
  bool in_place_;
  std::uint32_t zone_sectors_;
  BandLayout layout_;
  ZoneMap map_;
  HoleMaps holes_;
  DataBuffer round_;
  FifoMutex turns_;  // the round buffer and the log
  ZoneStatistics statistics_;
};

}  // namespace tessera
