#pragma once
// Reading the out-of-band bytes of every sector of a region at boot. Consecutive sectors go into one chain, so that a track
// costs little more than a turn; one command a sector would miss a revolution each time.
#include <array>
#include <optional>

#include "firmware/ports/media_port.hpp"

namespace tessera {

class HeaderScan {
 public:
  /// Sectors of one chain.
  static constexpr std::uint32_t most = MediaChain::max_steps;

  explicit HeaderScan(MediaPort& media) : media_(media) {}

  /// Reads the headers of `count` sectors (1 to `most`) whose places are in `sectors`; a sector that cannot be read has none.
  Task<void> read(const std::array<PhysicalRun, most>& sectors, std::uint32_t count);
  /// The header of sector `i` of the last read(); null where it could not be read.
  [[nodiscard]] const SectorHeader* header(std::uint32_t i) const { return readable_[i] ? &headers_[i] : nullptr; }

 private:
  MediaPort& media_;
  std::array<SectorHeader, most> headers_{};
  std::array<bool, most> readable_{};
};

}  // namespace tessera
