#pragma once
// Selective track caching: M. H. Hajkazemi et al., "Track-based Translation Layers for Interlaced Magnetic Recording", USENIX ATC 2019,
// section 2.3. The hottest bottom tracks live in a range of bottoms without tops, where writes are direct.
#include "firmware/interlaced/track_moving_layer.hpp"
#include "firmware/layers/imr_cache/imr_cache_swap_plan.hpp"

namespace tessera::cache {

enum class CachePlace : std::uint32_t { od, spread };

struct ImrCacheConfig {
  MovingConfig moving;
  std::uint32_t cache_tracks = 100;  // the paper's table 2
  CachePlace place = CachePlace::od;
  std::uint32_t cache_groups = 8;      // ours: of `spread`
  std::uint32_t swap_hysteresis = 50;  // the threshold of the paper's other two layers
  bool evict_clean_free = true;
  bool paper = false;

  void describe(ParameterVisitor& visitor);
};

class ImrCache final : public TrackMovingLayer {
 public:
  ImrCache(const Ports& ports, const ImrCacheConfig& config, const DriveGeometry& geometry, const FormatPlan& plan);

  void report_work(MetricSet& metrics) const override;
  [[nodiscard]] Bytes paper_map_bytes() const override { return cache_->map.paper_bytes() + heat_.paper_bytes(); }
  [[nodiscard]] Bytes map_bytes() const override { return cache_->map.bytes() + heat_.bytes(); }

 private:
  /// The area and its map; both must be there before the layer's base.
  struct Cache {
    Cache(const Ports& ports, const ImrCacheConfig& config, const DriveGeometry& geometry, const FormatPlan& plan);
    CacheArea area;
    CacheMap map;
  };
  ImrCache(const Ports& ports, const ImrCacheConfig& config, const DriveGeometry& geometry, const FormatPlan& plan,
           std::unique_ptr<Cache> cache);

  [[nodiscard]] PhysicalRun place_of(LogicalRun run) override;
  [[nodiscard]] std::optional<LogicalSector> resident(PhysicalSector sector) const override;
  void will_write(LogicalRun run) override;
  void note_write(const PhysicalRun& run) override { heat_.note(rmw_.tracks().number(run.track)); }
  void plan_moves() override;
  [[nodiscard]] std::size_t moves_waiting() const override { return swaps_.size() - next_; }
  Task<Status> carry_out_next() override;
  [[nodiscard]] std::vector<TrackImage> first_written(MoveWords words) override;
  Task<Status> resume(MoveWords words) override;

  Task<Status> promote(std::uint64_t track);
  Task<Status> evict(std::uint64_t track);
  Task<Status> read_slot(Slot slot, std::uint32_t sectors, std::uint32_t at);
  Task<Status> write_slot(Slot slot, std::uint32_t sectors);
  [[nodiscard]] Slot nearest_free_slot(PhysicalTrack home) const;
  /// The tops beside a track, `which` of them as bits, and where their images are: in front of that of the track itself.
  struct Tops {
    std::array<TrackImage, 2> images{};
    std::uint32_t count = 0;
    std::uint32_t which = 0;
    std::uint32_t sectors = 0;
  };
  [[nodiscard]] Tops tops_of(PhysicalTrack home, std::uint32_t which) const;
  [[nodiscard]] std::uint32_t tops_with_data(PhysicalTrack home) const;
  Task<void> restore(Tops tops);

  ImrCacheConfig config_;
  std::unique_ptr<Cache> cache_;
  std::vector<Swap> swaps_;
  std::size_t next_ = 0;
  std::uint64_t promotions_ = 0;
  std::uint64_t evictions_ = 0;
  std::uint64_t hits_ = 0;
};

}  // namespace tessera::cache
