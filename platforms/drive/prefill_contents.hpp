#pragma once
// What a prefilled drive holds: each sector of the prefilled space, at the place on the platters where the layer looks for it, the prefill
// marks of its blocks, or what an image of a disk has there.
#include <vector>

#include "base/data_buffer.hpp"
#include "media/initial_content.hpp"
#include "platforms/drive/loaded_image.hpp"
#include "stimuli/scoreboard/prefilled_blocks.hpp"

namespace tessera {

/// Consecutive logical sectors that lie one behind the other on a track, which is not wrapped around.
struct PlacedRun {
  std::uint64_t track = 0;  ///< TrackGeometry::linear
  std::uint32_t first = 0;
  std::uint32_t count = 0;
  LogicalSector sector;  ///< that lies at `first`
};

class PrefillContents final : public InitialContent {
 public:
  /// `runs`: of all known blocks of `blocks`, in any order. A place that two sectors claim is a bug of the layer.
  PrefillContents(SectorShape shape, const PrefilledBlocks& blocks, std::vector<PlacedRun> runs);

  [[nodiscard]] bool on(std::uint64_t track) const override;
  void fill(std::uint64_t track, std::uint32_t first, std::uint32_t count, ContentSpan data) const override;

  /// Of mode `bytes`: the sectors hold what `image` does, which stays. For as long as nobody has read them.
  void take(const LoadedImage& image) { image_ = &image; }

  [[nodiscard]] const PrefilledBlocks& blocks() const { return blocks_; }
  /// What lies on a track, in the order of its sectors.
  [[nodiscard]] std::vector<HostRun> blocks_on(std::uint64_t track) const;

 private:
  [[nodiscard]] std::vector<PlacedRun>::const_iterator runs_of(std::uint64_t track) const;

  SectorShape shape_;
  PrefilledBlocks blocks_;
  std::vector<PlacedRun> runs_;  // by track and first sector
  const LoadedImage* image_ = nullptr;
};

}  // namespace tessera
