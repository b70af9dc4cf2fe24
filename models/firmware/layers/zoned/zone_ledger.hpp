#pragma once
// What of each sequential zone must outlive a power cut, in a log (firmware/logs/table_log.hpp): whether it is empty, active, full, read
// only or offline, and how often it was reset. The write pointer of an active zone is found by reading (zone_search.hpp).
#include <cstdint>
#include <span>

#include "firmware/locks/range_locks.hpp"
#include "firmware/logs/table_log.hpp"
#include "firmware/tables/dram_table.hpp"

namespace tessera::zoned {

enum class KeptAs : std::uint32_t { empty, active, full, read_only, offline };

/// All bits zero: empty.
struct KeptZone {
  std::uint32_t as = 0;       ///< KeptAs
  std::uint32_t resets = 0;   ///< data of earlier resets is none
  std::uint32_t written = 0;  ///< sectors; of an active zone: at the least
  std::uint32_t doubt_first = 0;
  std::uint32_t doubt_count = 0;
};

class ZoneLedger final : private TableLog::Table {
 public:
  ZoneLedger(const Ports& ports, const DriveGeometry& geometry, const FormatPlan& log, std::uint32_t zones);

  /// Sectors that the log needs at the least.
  [[nodiscard]] static std::uint64_t least_sectors(std::uint64_t zones, std::uint32_t sector_bytes) {
    return TableLog::least_sectors(zones * sizeof(KeptZone), sector_bytes);
  }

  [[nodiscard]] const KeptZone& peek(std::uint32_t zone) const { return kept_.peek(zone); }
  /// Before format() or checkpoint().
  void set(std::uint32_t zone, const KeptZone& kept) { kept_.peek(zone) = kept; }
  [[nodiscard]] Task<Status> format() { return log_.format(); }
  [[nodiscard]] Task<Status> recover() { return log_.recover(); }
  /// Once all is known again: everything twice, where boot found but one copy of something.
  [[nodiscard]] Task<void> repair();
  /// The same for all that was set() since: durable on return.
  [[nodiscard]] Task<Status> checkpoint() { return log_.checkpoint(); }
  /// Durable on return; where the status is not ok the drive takes no more changes.
  [[nodiscard]] Task<Status> append(std::uint32_t zone, KeptZone kept);
  /// That these zones, at most most_together() of them, are active and have nothing written since so many resets; as append(), in one
  /// record.
  struct Began {
    std::uint32_t zone = 0;
    std::uint32_t resets = 0;
  };
  [[nodiscard]] Task<Status> append_active(std::span<const Began> zones);
  [[nodiscard]] std::size_t most_together() const { return log_.sector_bytes() / sizeof(Began); }

  [[nodiscard]] std::uint64_t sectors_written() const { return log_.sectors_written(); }
  [[nodiscard]] std::uint64_t appended() const { return appended_; }
  [[nodiscard]] Bytes bytes() const { return Bytes(image_bytes()); }

 private:
  [[nodiscard]] std::uint64_t image_bytes() const override { return kept_.size() * sizeof(KeptZone); }
  void save(std::span<std::byte> image) const override;
  void load(std::span<const std::byte> image) override;
  void replay(const TableLog::Words& words, std::span<const std::byte> sector) override;

  DramArray<KeptZone> kept_;
  FifoMutex turns_;
  TableLog log_;
  std::uint64_t appended_ = 0;
};

}  // namespace tessera::zoned
