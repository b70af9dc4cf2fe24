#pragma once
// The parameters of the layer `tessera-imr`: each of its ideas can be switched off, so that its page can say what each is worth.
#include <memory>

#include "firmware/interlaced/track_moving_layer.hpp"
#include "firmware/layers/tessera/front_config.hpp"

namespace tessera::tiers {

/// What moves hot tracks, of the layers of Hajkazemi et al.
enum class Moves : std::uint32_t { off, flip, cache, dtm };

struct InterlacedTiersConfig : FrontConfig {
  bool spare_tops = true;
  bool bottoms_first = false;  // brings bottoms before their time, which are then written again
  Moves moves = Moves::off;    // behind buffer and flash few tracks are hot
  MovingConfig moving;
  std::uint32_t move_threshold = 12;  // of 5000 writes, in proportion the paper's 50 of 20,000
  std::uint32_t most_moves = 50;      // the paper's table 2
  std::uint32_t cache_tracks = 100;   // the paper's table 2

  InterlacedTiersConfig() {
    // A read-modify-write takes the turns of a whole track however short it is: long ones, a track of `common`, in as much DRAM as the
    // shingled layer's many short ones.
    destage_depth = 8;
    destage_run = Bytes(std::uint64_t{2} << 20);
    moving.update_frequency = 5000;
  }
  void describe(ParameterVisitor& v);
  /// Regions of the platters; empty, with a sentence in `problem`, where they do not fit.
  [[nodiscard]] FormatPlan plan(const DriveGeometry& geometry, std::string& problem) const;
  /// The layer in which sectors are at home.
  [[nodiscard]] std::unique_ptr<InterlacedLayer> make_home(const Ports& ports, const DriveGeometry& geometry, const FormatPlan& plan) const;
};

}  // namespace tessera::tiers
