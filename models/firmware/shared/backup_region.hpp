#pragma once
// Where tracks' sectors are saved before a write destroys them (Hajkazemi et al., section 2.1). The record that
// says whose they are rides in the out-of-band bytes of every saved sector, so that one that cannot be read costs no other.
//
// Only the newest record counts. A new one never overwrites the newest, so that a cut while it is written leaves that one
// whole; the region's tracks are used in turn. A record whose sectors the host then writes directly is voided first.
#include <array>
#include <cstdint>
#include <vector>

#include "firmware/layout/conventional_layout.hpp"
#include "firmware/shared/log_record.hpp"
#include "firmware/shared/range_locks.hpp"
#include "firmware/translation_layer.hpp"

namespace tessera {

/// The runs that a write would destroy: `count` of them, on different tracks of one surface near its own.
struct Neighbours {
  static constexpr std::size_t most = 4;  ///< what a record has room for
  std::array<PhysicalRun, most> runs{};
  std::uint32_t count = 0;

  void add(const PhysicalRun& run) {
    TESSERA_CHECK(count < most, "a write has too many neighbours");
    runs[count++] = run;
  }
  [[nodiscard]] std::uint32_t sectors() const { return sectors_before(count); }
  [[nodiscard]] std::uint32_t sectors_before(std::uint32_t which) const {
    std::uint32_t sum = 0;
    for (std::uint32_t i = 0; i < which; ++i) sum += runs[i].count;
    return sum;
  }
};

class BackupRegion {
 public:
  /// Tracks that a region at `radius` needs for records of up to `largest` sectors: room for one beside the newest, at least
  /// three.
  [[nodiscard]] static std::uint64_t radii_needed(const DriveGeometry& geometry, std::uint32_t radius, std::uint32_t largest);

  /// `regions`: conventional, not skewed, of one zone.
  BackupRegion(const Ports& ports, const DriveGeometry& geometry, const FormatPlan& regions);

  /// Whoever saves, or voids, holds the turn from before until the saved sectors are back in place.
  [[nodiscard]] FifoMutex::Lock turn() { return turns_.exclusive({}); }

  /// Makes sure that a record of `sectors` will not overwrite the newest one.
  Task<Status> make_room(std::uint32_t sectors);
  /// Adds the steps that save `data`, the content of `saved` one after another, before `target` is written.
  void add_steps(MediaChain& chain, const PhysicalRun& target, const Neighbours& saved, DataSpan data);
  /// To be told once those steps are done: the record is the newest from here on.
  void commit();

  /// Whether the newest record describes a sector of `run` and would be applied at recovery.
  [[nodiscard]] bool describes(const PhysicalRun& run) const;
  /// Takes the newest record out of force.
  Task<Status> void_record();

  /// Boot after a power cut: puts back what was destroyed of what the newest record describes, and voids the record. `scratch`: room
  /// for a record.
  Task<Status> recover(DataBuffer& scratch);

  [[nodiscard]] std::uint64_t sectors_written() const { return sectors_written_; }
  [[nodiscard]] std::uint64_t voids() const { return voids_; }

 private:
  /// A record on the region's sectors taken as a ring.
  struct Extent {
    std::uint64_t start = 0;
    std::uint32_t count = 0;
    [[nodiscard]] std::uint64_t last(std::uint64_t ring) const { return (start + count - 1) % ring; }
  };
  [[nodiscard]] PhysicalRun place(std::uint64_t position, std::uint32_t count) const;
  [[nodiscard]] Extent next_track() const;
  [[nodiscard]] Extent next_extent(std::uint32_t sectors, std::uint64_t angle) const;
  [[nodiscard]] bool overwrites_newest(const Extent& extent) const;
  Task<void> find_newest();
  Task<Status> fill_in(DataBuffer& saved);
  Task<Status> read_back(std::uint32_t first, DataSpan data);

  MediaPort& media_;
  FifoMutex turns_;
  ConventionalLayout layout_;
  std::uint64_t ring_;          ///< sectors
  std::uint64_t sequence_ = 0;  ///< of the newest record
  Extent newest_;
  Neighbours described_;  ///< by the newest record; none when it is void
  Extent next_;           ///< being written
  Neighbours next_described_;
  std::vector<SectorHeader> headers_;  // of sectors on their way
  std::uint64_t sectors_written_ = 0;
  std::uint64_t voids_ = 0;
};

}  // namespace tessera
