#pragma once
// Reads of sectors that lie partly in the flash cache and partly in their bands.
#include <cstdint>
#include <span>
#include <vector>

#include "base/metrics.hpp"
#include "firmware/flash/band_layout.hpp"
#include "firmware/flash/band_map.hpp"
#include "firmware/flash/oob.hpp"
#include "firmware/translation_layer.hpp"

namespace tessera {

class BandReader {
 public:
  /// Mark of a sector that was read already.
  static constexpr std::uint32_t read_along = OobCodec::no_page - 1;

  BandReader(const Ports& ports, const BandLayout& layout, const BandMap& places) : ports_(ports), layout_(layout), places_(places) {}

  /// Reads the sectors whose flash page `pages` names, side by side. `commands` is working memory.
  [[nodiscard]] Task<Status> read_flash(std::span<const std::uint32_t> pages, DataSpan data, std::vector<FlashCommand>& commands);
  /// Reads the sectors of `run` for which `pages` names no page from their bands, contiguous ones in one step. What a band does not hold
  /// is nothing, and no reason to visit it.
  [[nodiscard]] Task<Status> read_bands(LogicalRun run, std::span<const std::uint32_t> pages, DataSpan data);

  /// A sector came along with something else that was read.
  void count_flash_read() { ++flash_sectors_; }
  void report(MetricSet& metrics) const;

 private:
  Ports ports_;
  const BandLayout& layout_;
  const BandMap& places_;
  std::uint64_t flash_sectors_ = 0;
  std::uint64_t band_sectors_ = 0;
};

}  // namespace tessera
