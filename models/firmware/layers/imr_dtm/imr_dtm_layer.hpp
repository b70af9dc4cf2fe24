#pragma once
// Dynamic track mapping: M. H. Hajkazemi et al., "Track-based Translation Layers for Interlaced Magnetic Recording", USENIX ATC 2019,
// section 2.4. Inside a zone any pseudo-track may lie anywhere; hot ones change places with cold ones on top tracks.
#include "firmware/interlaced/track_moving_layer.hpp"
#include "firmware/layers/imr_dtm/imr_dtm_swap_plan.hpp"

namespace tessera::dtm {

struct ImrDtmConfig {
  MovingConfig moving;
  std::uint32_t zone_tracks = 256;  // the paper's section 2.4
  SwapLimits limits;                // the paper's table 2
  bool paper = false;

  void describe(ParameterVisitor& visitor);
  /// Regions of the platters; empty, with a sentence in `problem`, where they do not fit.
  [[nodiscard]] FormatPlan plan(const DriveGeometry& geometry, std::string& problem) const;
};

class ImrDtm final : public TrackMovingLayer {
 public:
  ImrDtm(const Ports& ports, const ImrDtmConfig& config, const DriveGeometry& geometry, const FormatPlan& plan);

  void report_work(MetricSet& metrics) const override;
  [[nodiscard]] Bytes paper_map_bytes() const override { return mapping_->map.bytes() + heat_.paper_bytes(); }
  [[nodiscard]] Bytes map_bytes() const override { return mapping_->map.bytes() + heat_.bytes(); }

 private:
  /// The zones and their map; both must be there before the layer's base.
  struct Mapping {
    Mapping(const Ports& ports, const ImrDtmConfig& config, const DriveGeometry& geometry, const FormatPlan& plan);
    PseudoTracks tracks;
    Permutation map;
  };
  ImrDtm(const Ports& ports, const ImrDtmConfig& config, const DriveGeometry& geometry, const FormatPlan& plan,
         std::unique_ptr<Mapping> mapping);

  [[nodiscard]] PhysicalRun place_of(LogicalRun run) override;
  [[nodiscard]] std::optional<LogicalSector> resident(PhysicalSector sector) const override;
  void note_write(const PhysicalRun& run) override;
  [[nodiscard]] std::array<std::optional<std::uint64_t>, 2> beside(std::uint64_t track) const override;
  void plan_moves() override;
  [[nodiscard]] std::size_t moves_waiting() const override { return swaps_.size() - next_; }
  Task<Status> carry_out_next() override;
  [[nodiscard]] std::vector<TrackImage> first_written(MoveWords words) override;
  Task<Status> resume(MoveWords words) override;

  /// The tracks of a swap, and where their images are: first `hot`, then the saved ones of `tops`, then `cold`.
  struct Images {
    std::vector<TrackImage> hot;   ///< T: the bottoms of the hot pseudo-track
    std::vector<TrackImage> tops;  ///< T-1, T+1: what writing these destroys
    std::vector<TrackImage> cold;  ///< T': the tops of the cold one
    std::uint32_t which = 0;       ///< of the tops beside the bottoms, those in `tops`, as bits
    std::uint32_t saved = 0;       ///< sectors of `hot` and `tops`
    std::uint32_t sectors = 0;     ///< of all
  };
  [[nodiscard]] std::vector<TrackImage> pieces(std::uint32_t zone, std::uint32_t place, std::uint32_t at) const;
  [[nodiscard]] std::vector<PhysicalRun> tops_beside(const std::vector<TrackImage>& bottoms) const;
  [[nodiscard]] std::uint32_t holding_data(const std::vector<PhysicalRun>& tops) const;
  void lay_out(const Permutation::Swap& swap, std::uint32_t which, Images& images) const;
  [[nodiscard]] MoveLocks lock_all(const Images& images);
  Task<Status> forget(const Images& images);
  Task<Status> read_images(const std::vector<TrackImage>& images);
  Task<Status> read_around(const Images& images);
  /// `from`: where the content of the images is, if not where theirs is.
  Task<void> write_images(const std::vector<TrackImage>& images, std::uint32_t from, TrackMover::Mark mark);
  Task<bool> written();
  Task<void> restore_tops(const Images& images);

  ImrDtmConfig config_;
  std::unique_ptr<Mapping> mapping_;
  Images images_;  // of the swap under way
  std::vector<Permutation::Swap> swaps_;
  std::size_t next_ = 0;
  std::uint64_t swaps_done_ = 0;
};

}  // namespace tessera::dtm
