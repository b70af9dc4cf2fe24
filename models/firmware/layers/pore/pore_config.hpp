#pragma once
// The parameters of PORE. What the MU-RMW paper's description of it leaves open is marked.
#include <cstdint>

#include "firmware/flash/flash_cache_layer.hpp"

namespace tessera::pore {

enum class Mode : std::uint32_t { ef_smr, original };

struct PoreConfig {
  FlashCacheConfig cache;
  Mode mode = Mode::ef_smr;
  // In no paper. A fit to the write amplification that the MU-RMW paper reports for PORE and Skylight: 40.4 / 128.09 and
  // 22.48 / 70.92 are both 0.316, and with 81 of 256 bands open 1 + 81 x 10,240 / 20,480 = 41.5.
  double open_frac = 0.3164;
  std::uint32_t reserve_blocks = 2;   // ours: what pages of forbidden bands are copied to
  std::uint32_t copybacks = 0;        // ours, and off: the paper knows no copyback
  std::uint32_t zone_sectors = 5000;  // original: 20 MB, from its published code
  std::uint32_t period = 0;           // original: the persistent buffer of the drive behind it, which here is the cache itself

  /// Sectors of a region that is open or forbidden: a band of the cache's, or a zone of the original.
  [[nodiscard]] std::uint64_t region_sectors() const { return mode == Mode::ef_smr ? cache.band_sectors : zone_sectors; }
  /// Pages that a period evicts.
  [[nodiscard]] std::uint32_t period_pages(const FlashShape& shape) const;
  void describe(ParameterVisitor& v);
};

}  // namespace tessera::pore
