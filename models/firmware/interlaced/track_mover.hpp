#pragma once
// The steps of a move of tracks: reads into DRAM, a backup of what will be overwritten, writes, and the change of the map. A step
// moves at most a track; before each, the move waits until the host pauses, unless a request waits for what the move has locked
// (Hajkazemi et al., section 2.2: moves are background work that can be interrupted).
#include <span>
#include <vector>

#include "firmware/interlaced/move_backup.hpp"
#include "firmware/interlaced/read_modify_write.hpp"
#include "firmware/locks/idle_gate.hpp"

namespace tessera {

/// Sectors of a track, and where in the buffer of images their content is.
struct TrackImage {
  PhysicalRun run;
  std::uint32_t at = 0;
};

/// The ranges that a move holds from its first step to the change of the map; `far` may be empty. They must not overlap.
struct MoveLocks {
  AngularLocks::Lock near;
  AngularLocks::Lock far;
  [[nodiscard]] bool awaited() const { return near.awaited() || far.awaited(); }
};

class TrackMover {
 public:
  enum class Mark : std::uint8_t { with, without };

  /// `images`: sectors that a move reads at most.
  TrackMover(const Ports& ports, const DriveGeometry& geometry, const FormatPlan& plan, TrackMap& map, IdleGate& gate,
             std::uint32_t images);

  /// The move of number current() begins, under `locks`; kind and subject are for events.csv.
  void begin(const char* kind, std::uint64_t subject, const MoveLocks& locks);
  Task<Status> read(TrackImage image, StepHint hint);
  /// The first `sectors` of the images, and what the move is, go to the backup region.
  Task<Status> save(std::uint32_t sectors, MoveWords words);
  /// Writes `images`, side by side on one track, with the move's mark on each sector or without. Where the data lies nowhere else any more,
  /// a sector that cannot be written is lost, as when the host writes it.
  Task<Status> write(std::span<const TrackImage> images, StepHint hint, Mark mark = Mark::without);
  /// The map changes; the move is over.
  Task<Status> commit(MoveWords words);
  /// The move is over and has changed nothing.
  void abandon();

  /// Boot: how far a write with the mark of the current move came.
  [[nodiscard]] Task<Carriers> marked(std::span<const TrackImage> images);
  /// Boot, after log().recover(): the move that a power cut ended behind save(), its images in the buffer again.
  [[nodiscard]] Task<Status> find_unfinished(std::optional<MoveWords>& words);
  /// Boot: sectors that the unfinished move saved, where one of them cannot be read; else 0. Perhaps the cut ended the save: then
  /// nothing was written yet, and what the move writes first has no mark.
  [[nodiscard]] std::uint32_t in_doubt() const { return in_doubt_; }

  [[nodiscard]] MoveLog& log() { return log_; }
  [[nodiscard]] const MoveLog& log() const { return log_; }
  [[nodiscard]] std::uint32_t capacity() const { return images_.sectors(); }
  void report(MetricSet& metrics) const;

 private:
  [[nodiscard]] bool wanted() const { return locks_ != nullptr && locks_->awaited(); }
  [[nodiscard]] SectorHeader mark_of_move() const { return MoveBackup::header({log_.current(), 0, {}}); }
  [[nodiscard]] Task<void> turn();
  void end();

  Ports ports_;
  IdleGate& gate_;
  MoveBackup backup_;
  MoveLog log_;
  DataBuffer images_;
  const MoveLocks* locks_ = nullptr;
  FirmwareEvent event_{};
  Picoseconds begun_;
  std::uint64_t written_before_ = 0;
  std::vector<SectorHeader> headers_;  // of a step
  std::uint32_t in_doubt_ = 0;

  DurationHistogram moves_;
  std::uint64_t sectors_written_ = 0;
  std::uint64_t failed_writes_ = 0;
};

}  // namespace tessera
