#pragma once
// Writing interlaced tracks in place: M. H. Hajkazemi, A. N. Kulkarni, P. Desnoyers, T. R. Feldman, "Track-based Translation Layers
// for Interlaced Magnetic Recording", USENIX ATC 2019, section 2.1.
//
// A top track is written directly. Writing a run S of a bottom track T destroys the same angles of the tops T-1 and T+1, so
// these are read, saved to the backup region, and written back afterwards.
//
// Of a top all of which was trimmed nothing has to be saved, but a boot does not know that: it must not meet remains of it. So it is
// written over once, with nothing, before the first long write of a bottom next to it; a track that holds nothing has nothing to lose.
// Ours.
#include "firmware/backup/backup_region.hpp"
#include "firmware/interlaced/interlaced_config.hpp"
#include "firmware/interlaced/interlaced_tracks.hpp"
#include "firmware/locks/range_locks.hpp"
#include "firmware/tables/dram_table.hpp"
#include "firmware/translation_layer.hpp"

namespace tessera {

/// Who knows what need not outlive a write beside it.
class WorthlessSectors {
 public:
  /// Asked under the lock of the write that would destroy the sector; true until somebody writes to it, which waits for that lock.
  [[nodiscard]] virtual bool worthless(PhysicalSector sector) = 0;

 protected:
  ~WorthlessSectors() = default;
};

class ReadModifyWrite {
 public:
  using RangeLock = AngularLocks::Lock;

  ReadModifyWrite(const Ports& ports, const InterlacedConfig& config, const DriveGeometry& geometry, const FormatPlan& plan);

  [[nodiscard]] const InterlacedTracks& tracks() const { return tracks_; }

  /// `lock`: exclusive on tracks().reach(run), or that of the whole track where it clears_tops(); granted. With `ack_early` it outlives the
  /// call.
  Task<Status> write(PhysicalRun run, DataSpan data, MediaClass priority, RangeLock& lock);
  /// To be called before sectors of tops are written past this object: a backup record of them would undo that at recovery.
  Task<Status> forget(PhysicalRun run);
  /// What `tops` says need not outlive a write of a bottom is neither saved nor written back.
  void spare(WorthlessSectors& tops) { worthless_ = &tops; }
  [[nodiscard]] std::uint64_t spared() const { return spared_; }
  /// Restores the tops of a read-modify-write that a power cut ended.
  Task<Status> recover();

  /// Whether a top may hold data.
  [[nodiscard]] bool holds_data(PhysicalTrack top) const { return !config_.skip_unwritten || holds_data_.test(tracks_.number(top)); }
  /// It does from now on, and nothing of it is trimmed. Bottoms are not asked for.
  void set_holds_data(PhysicalTrack track) {
    if (!tracks_.is_top(track)) return;
    publish(track);
    holds_data_.set(tracks_.number(track));
    if (any_trimmed_) holds_data_.reset(trimmed_bit(track));
  }
  /// All of a top was trimmed, and the caller holds all of it alone. It counts as one that holds data until it was written over.
  void trim(PhysicalTrack top);
  /// Whether a write of `run` first writes over tops next to it that were trimmed: not for a small one, which saves and restores less.
  [[nodiscard]] bool clears_tops(const PhysicalRun& run) const;
  void prefill(PhysicalTrack track) {
    if (!tracks_.is_top(track)) return;
    publish(track);
    holds_data_.set_uncharged(tracks_.number(track));
  }
  /// All tracks of radii [first, end), none of which holds data yet.
  void prefill(std::uint32_t first, std::uint32_t end);

  void report(MetricSet& metrics) const;

 private:
  using Turn = BackupRegion::Turn;

  /// Of a top: that of the bottom in front of it.
  [[nodiscard]] std::uint64_t trimmed_bit(PhysicalTrack top) const { return tracks_.number({top.surface, top.radius - 1}); }
  std::uint64_t mark_tops(std::uint32_t first, std::uint32_t end);
  /// The top is about to hold data.
  void publish(PhysicalTrack track) {
    if (!holds_data_.peek(tracks_.number(track))) written_gauge_.rise(1);
  }
  Task<Status> write_top(PhysicalRun run, DataSpan data, MediaClass priority);
  Task<Status> write_bottom(PhysicalRun run, DataSpan data, MediaClass priority, RangeLock& range);
  [[nodiscard]] Task<Status> clear_tops(PhysicalTrack bottom, MediaClass priority);
  [[nodiscard]] bool trimmed(const std::optional<PhysicalTrack>& top) const { return top && holds_data_.test(trimmed_bit(*top)); }
  [[nodiscard]] Task<void> restore_all(const Turn& slot, Neighbours neighbours);
  Task<void> restore_later(RangeLock range, Turn slot, PhysicalRun run, Neighbours neighbours, Picoseconds begun);
  static void add_restore(MediaChain& chain, const Neighbours& neighbours, const Turn& slot);
  void end_rmw(const PhysicalRun& run, Picoseconds begun);
  [[nodiscard]] Neighbours holding_data(const Neighbours& neighbours) const;
  [[nodiscard]] Neighbours worth_saving(const Neighbours& neighbours);

  InterlacedConfig config_;
  Ports ports_;
  InterlacedTracks tracks_;
  DramBitmap holds_data_;  // by track: of a top, whether it may; of the bottom in front of it, whether all of that was trimmed
  BackupRegion backup_;
  bool any_trimmed_ = false;
  Gauge written_gauge_;

  DurationHistogram rmws_;
  WorthlessSectors* worthless_ = nullptr;  // none: everything is worth saving
  std::uint64_t spared_ = 0;
  std::uint64_t free_rmws_ = 0;
  std::uint64_t failed_restores_ = 0;
};

}  // namespace tessera
