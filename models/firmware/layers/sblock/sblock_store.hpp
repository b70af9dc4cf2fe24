#pragma once
// The S-block architecture as the HWSR paper describes its yardstick (section III-A; after Y. Cassuto et al., "Indirection Systems for
// Shingled-Recording Disk Drives", MSST 2010): every S-block that is written goes to the head of its region's circular log, and a
// log that is full is cleaned from its tail, S-blocks that live there moving to the head.
#include <cstdint>
#include <span>
#include <vector>

#include "firmware/layers/sblock/region_config.hpp"
#include "firmware/layers/sblock/region_logs.hpp"
#include "firmware/layers/sblock/sblock_open_regions.hpp"
#include "firmware/layers/sblock/sblock_statistics.hpp"
#include "firmware/layers/sblock/slot_area.hpp"
#include "firmware/locks/range_locks.hpp"

namespace tessera::sblock {

/// Sectors [first, first + count) of an S-block.
struct SectorGap {
  std::uint32_t first = 0;
  std::uint32_t count = 0;
};

class SblockStore {
 public:
  /// `newest`: of the table that tells, where a region's newest slot cannot be read at boot, that it was written.
  SblockStore(const Ports& ports, const RegionConfig& config, const DriveGeometry& geometry, const FormatPlan& plan,
              std::uint32_t sblock_sectors, Survival newest = Survival::volatile_memory);

  [[nodiscard]] std::uint64_t sblocks() const { return std::uint64_t{logs_.regions()} * logs_.shape().sblocks; }
  [[nodiscard]] std::uint32_t sblock_sectors() const { return area_.sblock_sectors(); }

  [[nodiscard]] Task<Status> format() { return open_.format(); }
  [[nodiscard]] Task<Status> recover();
  /// Used state, before format(): the S-blocks of the first `sectors` were written in order.
  void prefill(std::uint64_t sectors);

  /// Reads sectors of one S-block; of one that holds nothing without a visit to the platter.
  [[nodiscard]] Task<Status> read(LogicalRun run, DataSpan data, MediaClass priority);
  /// Writes an S-block: `gaps`, ascending, are the sectors that `image` lacks; they are filled from the old copy. Durable on return.
  /// One at a time, and no trim() of the same S-block meanwhile.
  [[nodiscard]] Task<Status> write(std::uint64_t sblock, DataSpan image, std::span<const SectorGap> gaps, MediaClass priority);
  /// The S-block holds nothing any more. Forgotten at a power cut, unless a checkpoint was made since.
  [[nodiscard]] Task<Status> trim(std::uint64_t sblock);

  /// Tables by the account of 4 bytes an S-block, and as they are.
  [[nodiscard]] Bytes paper_metadata() const { return Bytes(4 * sblocks()); }
  [[nodiscard]] Bytes metadata() const { return logs_.bytes() + open_.bytes() + Bytes(newest_.size() * sizeof(Newest)); }
  /// For tests.
  [[nodiscard]] const RegionLogs& logs() const { return logs_; }
  void report(MetricSet& metrics) const;

 private:
  /// The slot that was written last.
  struct Newest {
    std::uint64_t sblock;  ///< plus one; 0: none since the first boot, or not known
    std::uint64_t position;
  };
  struct Place {
    std::uint32_t region;
    std::uint32_t sblock;  ///< in the region
  };
  [[nodiscard]] Place place_of(std::uint64_t sblock) const;
  [[nodiscard]] std::uint64_t number_of(Place place) const { return std::uint64_t{place.region} * logs_.shape().sblocks + place.sblock; }
  [[nodiscard]] SectorRange range_of(std::uint64_t sblock) const;

  [[nodiscard]] Task<Status> collect(std::uint32_t region, MediaClass priority);
  [[nodiscard]] Task<Status> move(Place place, MediaClass priority);
  [[nodiscard]] Task<Status> fill(Place place, DataSpan image, std::span<const SectorGap> gaps, MediaClass priority);
  [[nodiscard]] Task<Status> append(Place place, DataSpan image, MediaClass priority);

  Ports ports_;
  SlotArea area_;
  RegionLogs logs_;
  Gauge free_slots_;
  OpenRegions open_;
  DramArray<Newest> newest_;  // by region
  SectorLocks copies_;        // of S-blocks: shared while a copy is read, alone while it is replaced
  DataBuffer scratch_;        // an S-block: one that moves, or the old copy of one that is written
  Collection collection_;
  double utilisation_;
  std::uint64_t user_bytes_;
  StoreStatistics statistics_;
};

}  // namespace tessera::sblock
