#pragma once
// Where pseudo-tracks lie: for each zone a permutation of its places, a byte each (Hajkazemi et al., section 2.4, "Memory usage").
#include "firmware/interlaced/move_log.hpp"
#include "firmware/layers/imr_dtm/pseudo_tracks.hpp"
#include "firmware/tables/dram_table.hpp"

namespace tessera::dtm {

class Permutation final : public TrackMap {
 public:
  /// At first everything is at home. `tracks` outlives the permutation.
  Permutation(MemoryPort& memory, const PseudoTracks& tracks);

  [[nodiscard]] std::uint32_t place_of(std::uint32_t zone, std::uint32_t pseudo) const {
    return places_.read(tracks_.zone(zone).base + pseudo);
  }
  /// Whether a pseudo-track lies on bottoms now.
  [[nodiscard]] bool on_bottoms(std::uint32_t zone, std::uint32_t pseudo) const {
    return place_of(zone, pseudo) < tracks_.zone(zone).bottoms;
  }

  struct Swap {
    std::uint32_t zone = 0;
    std::uint32_t hot = 0;    ///< pseudo-track on bottoms
    std::uint32_t cold = 0;   ///< pseudo-track on tops
    std::uint32_t saved = 0;  ///< which of the tops that the swap destroys were saved, as bits
  };
  [[nodiscard]] static MoveWords words(const Swap& swap);
  [[nodiscard]] static Swap swap_of(const MoveWords& words);

  [[nodiscard]] Bytes bytes() const { return Bytes(places_.size()); }
  [[nodiscard]] std::uint64_t image_bytes() const override { return places_.size(); }
  void save(std::span<std::byte> image) const override;
  void load(std::span<const std::byte> image) override;
  [[nodiscard]] std::uint64_t away() const override { return away_; }
  void apply(const MoveWords& words) override;

 private:
  /// Whether a pseudo-track of the zone that begins at `base` lies elsewhere than at home.
  [[nodiscard]] bool is_away(std::uint64_t base, std::uint32_t pseudo) const { return places_.peek(base + pseudo) != pseudo; }
  [[nodiscard]] std::uint64_t away_of(std::uint64_t base, const Swap& swap) const {
    return (is_away(base, swap.hot) ? 1U : 0U) + (is_away(base, swap.cold) ? 1U : 0U);
  }

  const PseudoTracks& tracks_;
  DramArray<std::uint8_t> places_;  // by pseudo-track of the drive
  std::uint64_t away_ = 0;
};

}  // namespace tessera::dtm
