#pragma once
// What the drive does with flash in front of its layer. What caches reads alone has the last blocks of the flash; what caches writes, too,
// the first.
#include <cstdint>
#include <string>
#include <vector>

#include "base/geometry.hpp"
#include "base/parameter.hpp"
#include "firmware/flash/flash_tier_config.hpp"
#include "firmware/ports/flash_port.hpp"

namespace tessera {

enum class FlashCacheUse : std::uint32_t {
  reads,   ///< what the host reads again is read from flash
  writes,  ///< what is written is durable in flash, and read from it, until its block is needed
  both     ///< in one pool of blocks, of which the oldest leaves (flash/block_lender.hpp)
};

/// Which sectors, read from the platters, go to flash.
enum class FlashAdmission : std::uint32_t {
  second_read,  ///< those that were read from there not long ago: LARC (Huang et al., MSST 2013)
  every_read
};

struct DriveFlashConfig {
  Bytes capacity;  ///< 0: no cache
  FlashCacheUse use = FlashCacheUse::reads;
  // Reads
  FlashAdmission admit = FlashAdmission::second_read;
  std::uint32_t history = 50;     // percent of the cache: LARC adapts it between 10 and 90
  Bytes largest_read{256 << 10};  // ours: the platters of `common` bring it in 1.3 ms, a tenth of what it takes to get there
  std::uint32_t parallel = 4;     // ours: as many dies as two channels of a small drive's flash have
  // Writes, as the layer `tessera` has them (layers/tessera/front_config.hpp)
  Bytes largest_write{256 << 10};
  std::uint32_t free_share = 8;              // percent
  Picoseconds evict_after{100'000'000'000};  // 100 ms
  bool dump_tags = true;
  PairedPages paired_pages = PairedPages::lower_only;
  static constexpr std::uint32_t least_blocks = 4;

  void describe(ParameterVisitor& visitor);
  [[nodiscard]] bool used() const { return capacity.value() != 0; }
  [[nodiscard]] bool caches_reads() const { return used() && use != FlashCacheUse::writes; }
  [[nodiscard]] bool caches_writes() const { return used() && use != FlashCacheUse::reads; }
  /// Flash blocks that the cache takes.
  [[nodiscard]] std::uint64_t blocks(const FlashShape& flash) const {
    const std::uint64_t block_bytes = std::uint64_t{flash.pages_per_block} * flash.page_bytes;
    return (capacity.value() + block_bytes - 1) / block_bytes;
  }
  [[nodiscard]] tiers::FlashTierConfig write_tier(std::uint32_t sector_bytes) const;
  /// A sentence why the cache cannot have its part of this flash, or nothing.
  [[nodiscard]] std::string problem(const FlashShape& flash, const DriveGeometry& geometry) const;

 private:
  void describe_reads(ParameterVisitor& visitor);
  void describe_writes(ParameterVisitor& visitor);
  [[nodiscard]] std::uint64_t needed_blocks() const;
  [[nodiscard]] std::string write_problem(const FlashShape& flash, const DriveGeometry& geometry) const;
};

}  // namespace tessera
