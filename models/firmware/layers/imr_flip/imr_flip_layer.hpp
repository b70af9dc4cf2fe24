#pragma once
// Track flipping: M. H. Hajkazemi et al., "Track-based Translation Layers for Interlaced Magnetic Recording", USENIX ATC 2019,
// section 2.2. A hot bottom track changes places with a cold top beside it, so that its next writes are direct.
#include "firmware/interlaced/track_moving_layer.hpp"
#include "firmware/layers/imr_flip/flip_plan.hpp"

namespace tessera::flip {

struct ImrFlipConfig {
  MovingConfig moving;
  FlipLimits limits;  // the paper's table 2
  bool paper = false;
  bool crash_safe = true;

  void describe(ParameterVisitor& visitor);
  /// Regions of the platters; empty, with a sentence in `problem`, where they do not fit.
  [[nodiscard]] FormatPlan plan(const DriveGeometry& geometry, std::string& problem) const;
  /// The paper saves T-1 and T. T+1 has no other copy while T is overwritten with its content.
  [[nodiscard]] bool saves_top() const { return crash_safe && !paper; }
};

class ImrFlip final : public TrackMovingLayer {
 public:
  ImrFlip(const Ports& ports, const ImrFlipConfig& config, const DriveGeometry& geometry, const FormatPlan& plan);

  void report_work(MetricSet& metrics) const override;
  [[nodiscard]] Bytes paper_map_bytes() const override;
  [[nodiscard]] Bytes map_bytes() const override { return map_->bytes() + heat_.bytes(); }
  /// For tests.
  [[nodiscard]] const FlipMap& map() const { return *map_; }

 private:
  ImrFlip(const Ports& ports, const ImrFlipConfig& config, const DriveGeometry& geometry, const FormatPlan& plan,
          std::unique_ptr<FlipMap> map);

  [[nodiscard]] PhysicalRun place_of(LogicalRun run) override;
  [[nodiscard]] std::optional<LogicalSector> resident(PhysicalSector sector) const override;
  void note_write(const PhysicalRun& run) override;
  void plan_moves() override;
  [[nodiscard]] std::size_t moves_waiting() const override { return moves_.size() - next_; }
  Task<Status> carry_out_next() override;
  [[nodiscard]] std::vector<TrackImage> first_written(MoveWords words) override;
  Task<Status> resume(MoveWords words) override;

  /// The three tracks of a flip, and where their images are.
  struct Images {
    std::optional<TrackImage> beside;  ///< T-1: the other top, where it holds data
    TrackImage bottom;                 ///< T
    TrackImage top;                    ///< T+1
    [[nodiscard]] std::uint32_t saved(bool with_top) const { return with_top ? top.at + top.run.count : top.at; }
  };
  [[nodiscard]] std::optional<PhysicalTrack> other_top(const FlippedPair& pair) const;
  [[nodiscard]] Images images_of(const FlippedPair& pair, bool with_beside) const;
  [[nodiscard]] bool possible(const FlipMove& move) const;
  [[nodiscard]] FlippedPair pair_of(PhysicalTrack bottom, Flip flip) const;
  Task<Status> read_tracks(const Images& images);
  Task<void> exchange(FlippedPair pair, Images images);
  Task<void> restore(Images images);

  ImrFlipConfig config_;
  std::unique_ptr<FlipMap> map_;
  std::vector<FlipMove> moves_;
  std::size_t next_ = 0;
  std::uint64_t flips_ = 0;
  std::uint64_t unflips_ = 0;
};

}  // namespace tessera::flip
