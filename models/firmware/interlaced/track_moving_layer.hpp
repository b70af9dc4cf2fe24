#pragma once
// What the three layers that move tracks share (Hajkazemi et al., sections 2.2 to 2.4): every `update_frequency` writes they look at
// how often each track was written since, and plan moves; a background task carries these out one at a time.
#include <array>
#include <deque>

#include "firmware/interlaced/interlaced_layer.hpp"
#include "firmware/interlaced/track_mover.hpp"
#include "firmware/logs/heat_log.hpp"

namespace tessera {

/// Which writes make a track hot: those of the host as they arrive, in front of any write cache (ReceiveIO of the paper's Algorithms 1 to
/// 3), or those that reach the tracks, where a write cache has made one of many.
enum class HeatOf : std::uint32_t { media, host };

struct MovingConfig {
  InterlacedConfig interlaced;
  IdleGateConfig gate;
  std::uint32_t update_frequency = 20'000;  // the paper's table 2
  HeatOf heat = HeatOf::media;
  std::uint32_t log_records = 4096;  // ours: a change is a sector, 16 MiB between two checkpoints

  void describe(ParameterVisitor& visitor);
  /// Without what layers have that move nothing.
  void describe_moves(ParameterVisitor& visitor);
  /// The conventional regions of a layer whose moves save up to `images` sectors and whose map takes `map_bytes`.
  [[nodiscard]] FormatPlan reserved(const DriveGeometry& geometry, std::uint64_t images, std::uint64_t map_bytes) const;
};

class TrackMovingLayer : public InterlacedLayer {
 public:
  Task<Status> format() final;
  Task<Status> recover() final;
  void received(LogicalRun run) final;
  Task<Status> write(LogicalRun run, DataSpan data, WriteOptions options) final;
  void start_background() final;
  /// Moves that were planned and not begun are no work in hand: a drain drops them.
  [[nodiscard]] bool idle() const final { return !moving_ && locks_.empty(); }

 protected:
  TrackMovingLayer(const Ports& ports, const MovingConfig& config, const DriveGeometry& geometry, const FormatPlan& plan, TrackMap& map,
                   std::uint32_t images);

  Task<Status> read_as(MediaClass priority, LogicalRun run, DataSpan data, EarlySectors* early) final;
  /// A host write reaches sectors of the home track `run.track`: to be noted in heat_.
  virtual void note_write(const PhysicalRun& run) = 0;
  /// The tracks beside one of heat_, for the report of hot tracks and what surrounds them.
  [[nodiscard]] virtual std::array<std::optional<std::uint64_t>, 2> beside(std::uint64_t track) const;
  /// Replaces the moves that wait by those that the counts of heat_ ask for.
  virtual void plan_moves() = 0;
  [[nodiscard]] virtual std::size_t moves_waiting() const = 0;
  /// Takes the first waiting move and carries it out, unless it is no longer possible. Not ok: the map could not be changed.
  virtual Task<Status> carry_out_next() = 0;
  /// What a move writes first, in one step or several; with the mover's mark.
  [[nodiscard]] virtual std::vector<TrackImage> first_written(MoveWords words) = 0;
  /// Boot: completes or undoes a move, with its saved images in the mover's buffer, and commits.
  virtual Task<Status> resume(MoveWords words) = 0;

  /// The locks of a move over `near` and `far`; co_await both.
  [[nodiscard]] MoveLocks lock(const AngularBox& near, const AngularBox& far = nowhere);
  /// Commits; places that requests found before are then wrong.
  Task<Status> commit(MoveWords words);
  void report_moving(MetricSet& metrics) const;

  static constexpr AngularBox nowhere{0, 0, 0, 0, 0};

  HeatLog heat_;
  IdleGate gate_;
  TrackMover mover_;

 private:
  void blocked() final { gate_.wake(); }
  [[nodiscard]] Status writable() const final { return mover_.log().status(); }
  Task<Status> finish(MoveWords words);
  [[nodiscard]] std::uint64_t note(LogicalRun run, HeatOf source);
  void look();
  Task<void> plan();
  Task<void> work();
  void report_hottest();
  void moving(bool under_way);

  HeatOf counted_;
  const TrackMap& map_;
  Gauge waiting_gauge_;
  Gauge under_way_gauge_;
  Gauge hot_gauge_;
  Gauge away_gauge_;
  WaitQueue planned_;
  bool planning_ = false;
  bool moving_ = false;
  std::uint64_t arrived_ = 0;  // writes of tracks, as the host sent them
  std::uint64_t reached_ = 0;  // and as the write cache let them through
  std::uint64_t failed_commits_ = 0;
};

}  // namespace tessera
