#pragma once
// Interlaced recording with read-modify-write: M. H. Hajkazemi, A. N. Kulkarni, P. Desnoyers, T. R. Feldman, "Track-based
// Translation Layers for Interlaced Magnetic Recording", USENIX ATC 2019, section 2.1.
//
// A top track is written directly. Writing a run S of a bottom track T destroys the same angles of the tops T-1 and T+1, so
// these are read, saved to the backup region, and written back afterwards.
#include "firmware/layout/interlaced_layout.hpp"
#include "firmware/layout/plan_regions.hpp"
#include "firmware/shared/backup_region.hpp"
#include "firmware/shared/dram_table.hpp"
#include "firmware/shared/range_locks.hpp"
#include "firmware/translation_layer.hpp"

namespace tessera {

struct ImrRmwConfig {
  double top_ratio = 1.0;      // the paper's runs; real tops hold about 0.9 (its section 1)
  std::uint32_t layout_n = 1;  // 1 for the paper's runs, 256 for realistic ones
  InterlacedOrder order = InterlacedOrder::zig_zag;
  ReservedPlace backup_place = ReservedPlace::middle;
  std::uint32_t journal_tracks = 0;
  bool skip_unwritten = true;
  bool ack_early = false;

  void describe(ParameterVisitor& visitor);
};

class ImrReadModifyWrite final : public TranslationLayer {
 public:
  ImrReadModifyWrite(const ImrRmwConfig& config, const Ports& ports, const DriveGeometry& geometry, const FormatPlan& plan);

  [[nodiscard]] std::uint64_t user_sectors() const override { return layout_.sectors(); }
  Task<Status> format() override;
  Task<Status> recover() override;
  Task<Status> read(LogicalRun run, DataSpan data) override;
  Task<Status> write(LogicalRun run, DataSpan data, WriteOptions options) override;
  Task<Status> flush() override;
  Task<Status> trim(LogicalRun run) override;
  [[nodiscard]] bool idle() const override { return locks_.empty(); }
  void prefill(std::uint64_t sectors) override;
  void report(MetricSet& metrics) const override;

 private:
  using RangeLock = AngularLocks::Lock;
  using Turn = FifoMutex::Lock;

  Task<Status> write_top(PhysicalRun run, DataSpan data, MediaClass priority);
  Task<Status> write_bottom(PhysicalRun run, DataSpan data, MediaClass priority);
  Task<void> restore_later(RangeLock range, Turn turn, PhysicalRun run, Neighbours neighbours, Picoseconds begun);
  void add_restore(MediaChain& chain, const Neighbours& neighbours, DataSpan saved) const;
  void end_rmw(const PhysicalRun& run, Picoseconds begun);

  [[nodiscard]] const Region& region_of(PhysicalTrack track) const;
  [[nodiscard]] bool is_bottom(PhysicalTrack track) const;
  [[nodiscard]] Neighbours neighbours_of(const PhysicalRun& run) const;
  [[nodiscard]] Neighbours holding_data(const Neighbours& neighbours) const;
  [[nodiscard]] AngularBox box(const PhysicalRun& run) const { return AngularBox::of(run, ports_.media.sectors_on(run.track)); }
  [[nodiscard]] std::uint64_t number(PhysicalTrack track) const { return std::uint64_t{track.radius} * surfaces_ + track.surface; }

  ImrRmwConfig config_;
  Ports ports_;
  std::uint32_t surfaces_;
  FormatPlan data_regions_;
  InterlacedLayout layout_;
  BackupRegion backup_;
  AngularLocks locks_;
  DramBitmap holds_data_;  // by track number; only tops are ever asked for
  DataBuffer saved_;       // of the one read-modify-write that has the backup region's turn

  std::uint64_t rmws_ = 0;
  std::uint64_t free_rmws_ = 0;
  std::uint64_t failed_restores_ = 0;
  Picoseconds rmw_time_;
  Picoseconds longest_rmw_;
};

[[nodiscard]] std::unique_ptr<LayerFactory> make_imr_rmw_factory();

}  // namespace tessera
