#pragma once
// In-place updates of shingled bands: W. He and D. H. C. Du, "Novel Address Mappings for Shingled Write Disks", HotStorage 2014.
//
// A write to a track whose next ones hold no data goes straight to the platter. Any other first reads the sectors behind it that
// it would destroy, at its own angles, and rewrites them afterwards: 1 + 2 |H| requests for |H| tracks (section 3.1).
#include <array>
#include <span>

#include "firmware/backup/backup_region.hpp"
#include "firmware/layers/static_mapping/static_mapping_allocation.hpp"
#include "firmware/layers/static_mapping/static_mapping_config.hpp"
#include "firmware/layout/band_track_layout.hpp"
#include "firmware/locks/range_locks.hpp"
#include "firmware/translation_layer.hpp"

namespace tessera::static_mapping {

class StaticMapping final : public TranslationLayer {
 public:
  StaticMapping(const Ports& ports, const StaticMappingConfig& config, const DriveGeometry& geometry, const FormatPlan& plan);

  [[nodiscard]] std::uint64_t user_sectors() const override { return layout_.sectors(); }
  Task<Status> format() override;
  Task<Status> recover() override;
  Task<Status> read(LogicalRun run, DataSpan data) override { return read_in_order(run, data, nullptr); }
  Task<Status> read_early(LogicalRun run, DataSpan data, EarlySectors& early) override { return read_in_order(run, data, &early); }
  Task<Status> write(LogicalRun run, DataSpan data, WriteOptions options) override;
  Task<Status> flush() override;
  [[nodiscard]] bool idle() const override { return locks_.empty(); }
  void prefill(std::uint64_t sectors) override;
  void report(MetricSet& metrics) const override;

 private:
  using Piece = BandTrackLayout::Piece;
  /// The angles of a run on its own track and on those whose rewriting would destroy it.
  struct InFront {
    std::array<PhysicalRun, most_head_width> runs{};
    std::uint32_t count = 0;
    [[nodiscard]] std::span<const PhysicalRun> all() const { return std::span(runs).first(count); }
  };

  Task<Status> restore();
  /// `early`: null where nothing in front of the run is wanted.
  Task<Status> read_in_order(LogicalRun run, DataSpan data, EarlySectors* early);
  Task<Status> write_piece(Piece piece, DataSpan data, MediaClass priority);
  Task<Status> write_free(PhysicalRun run, DataSpan data, MediaClass priority);
  Task<Status> read_modify_write(PhysicalRun run, Neighbours behind, DataSpan data, MediaClass priority);
  [[nodiscard]] InFront in_front_of(const PhysicalRun& run) const;
  [[nodiscard]] Neighbours behind_with_data(const Piece& piece) const;
  [[nodiscard]] AngularBox box(const PhysicalRun& run) const { return AngularBox::of(run, ports_.media.sectors_on(run.track), spares_); }
  [[nodiscard]] AngularBox reach_of(const Piece& piece) const;
  void count_write(bool update, std::uint32_t tracks_behind);
  void end_rmw(const PhysicalRun& run, Picoseconds begun);

  StaticMappingConfig config_;
  Ports ports_;
  std::uint32_t surfaces_;
  std::uint32_t spares_;  // DriveGeometry::track_spares
  BandTrackLayout layout_;
  Allocation allocation_;
  AngularLocks locks_;
  BackupRegion backup_;

  struct WriteCount {
    std::uint64_t writes = 0;    ///< pieces of host writes, each inside one track
    std::uint64_t requests = 0;  ///< media requests that they took, without backups and records
  };
  WriteCount all_;
  WriteCount updates_;  // of tracks that held data
  DurationHistogram rmws_;
};

}  // namespace tessera::static_mapping
