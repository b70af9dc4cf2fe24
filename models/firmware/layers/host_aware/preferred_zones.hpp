#pragma once
// The zones that are to be written in order and may be written anywhere (sequential write preferred): conditions and write pointers as the
// host sees them, and up to where each was written. No device is touched here. Sources: ZBC-2, and for what it leaves to the drive Linux's
// emulation of such a disk (scsi_debug): docs/layers/host-aware.md.
#include <cstdint>
#include <vector>

#include "base/zone.hpp"
#include "firmware/ports/cpu_port.hpp"
#include "firmware/ports/host_port.hpp"
#include "firmware/tables/dram_table.hpp"

namespace tessera::host_aware {

enum class Opened : std::uint32_t { no, implicitly, explicitly };

/// In sectors from the zone's begin; all bits zero: empty.
struct PreferredZone {
  std::uint32_t pointer = 0;         ///< after the last sector that the host wrote
  std::uint32_t begun = 0;           ///< after the last sector that came to media cache or band
  std::uint32_t marked_end = 0;      ///< where the next mark continues the others; 0: it needs a record first
  std::uint32_t opened = 0;          ///< Opened
  std::uint32_t non_sequential = 0;  ///< whether the media cache holds some of it, or is going to
  std::uint32_t marked = 0;          ///< whether a boot has to look for marks
  std::uint32_t last_write = 0;      ///< number of the write that opened it, or wrote to it last
};

class PreferredZones {
 public:
  PreferredZones(MemoryPort& memory, CpuPort& cpu, std::uint32_t zones, std::uint32_t zone_sectors, std::uint32_t optimal_open);

  [[nodiscard]] std::uint32_t zones() const { return static_cast<std::uint32_t>(table_.size()); }
  [[nodiscard]] std::uint32_t zone_sectors() const { return zone_sectors_; }
  [[nodiscard]] const PreferredZone& read(std::uint32_t zone) const { return table_.read(zone); }
  [[nodiscard]] PreferredZone& write(std::uint32_t zone) { return table_.write(zone); }
  /// Without a charge.
  [[nodiscard]] PreferredZone& peek(std::uint32_t zone) { return table_.peek(zone); }
  [[nodiscard]] ZoneCondition condition(std::uint32_t zone) const;

  /// The host writes sectors [first, end) of a zone: the pointer goes after them, unless it is further already. More open zones than the
  /// optimal number close the one written to the longest time ago.
  void written(std::uint32_t zone, std::uint32_t first, std::uint32_t end);
  /// OPEN, CLOSE, FINISH ZONE or RESET WRITE POINTER.
  void apply(HostOp op, std::uint32_t zone);
  /// Whether a command for all zones changes this one.
  [[nodiscard]] bool concerns(HostOp op, std::uint32_t zone) const;

  [[nodiscard]] std::uint64_t closed_for_others() const { return closed_for_others_; }
  [[nodiscard]] std::uint64_t non_sequential_writes() const { return non_sequential_writes_; }
  [[nodiscard]] Bytes bytes() const { return Bytes(table_.size() * sizeof(PreferredZone)); }

 private:
  void open(std::uint32_t zone, Opened how);

  std::uint32_t zone_sectors_;
  std::uint32_t optimal_open_;
  CpuPort& cpu_;
  DramArray<PreferredZone> table_;
  std::vector<std::uint32_t> open_;  // implicitly; at most optimal_open_
  std::uint32_t writes_ = 0;
  std::uint64_t closed_for_others_ = 0;
  std::uint64_t non_sequential_writes_ = 0;
  Gauge open_gauge_;
};

}  // namespace tessera::host_aware
