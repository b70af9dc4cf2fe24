#pragma once
// The parameters of the layer: those of write buffer and read cache, and those of the regions.
#include <cstdint>

#include "firmware/buffer/buffer_config.hpp"
#include "firmware/layers/sblock/region_config.hpp"

namespace tessera::sblock {

struct SblockConfig {
  BufferConfig caches;
  RegionConfig regions;
  std::uint32_t sblock_blocks = 20;  // section III-A: an S-block has the size of a segment

  void describe(ParameterVisitor& v) {
    caches.describe_caches(v, cache_config().needs_journal());
    v.field("sblock_blocks", sblock_blocks, {1, 64}, "blocks of an S-block");
    regions.describe(v, region_config().checkpoint);
    v.field("paper", caches.paper, "as published: the write buffer is volatile, and nothing is kept of the table");
    v.unused_where(caches.paper, "paper is true", [&] {
      v.field("crash_safe", caches.crash_safe,
              "log which regions are written since a checkpoint of the table; off: boot reads all slot headers");
    });
  }

  [[nodiscard]] std::uint32_t sblock_sectors(std::uint32_t sector_bytes) const {
    return sblock_blocks * caches.block_sectors(sector_bytes);
  }
  /// What the caches are told: an S-block is never rewritten where it lies, so no image of it need be saved first.
  [[nodiscard]] BufferConfig cache_config() const {
    BufferConfig config = caches;
    config.crash_safe = false;
    return config;
  }
  [[nodiscard]] RegionConfig region_config() const {
    RegionConfig config = regions;
    config.checkpoint = caches.crash_safe && !caches.paper;
    return config;
  }
};

}  // namespace tessera::sblock
