#pragma once
// How the drive's flash is divided: the journal of rewrites, the journal of writes, the read cache.
#include <cstdint>

#include "firmware/buffer/buffer_config.hpp"
#include "firmware/flash/flash_area.hpp"

namespace tessera {

class FlashAreas {
 public:
  FlashAreas(const BufferConfig& config, const FlashShape& shape, std::uint32_t sector_bytes)
      : block_bytes_(std::uint64_t{shape.block_subpages()} * sector_bytes) {
    rewrites_ = next(config.journals_rewrites() ? config.rewrite_journal : Bytes(0));
    journal_ = next(config.promised() == BufferDurability::journal ? config.journal : Bytes(0));
    cache_ = next(config.flash);
  }

  [[nodiscard]] FlashArea rewrites() const { return rewrites_; }
  [[nodiscard]] FlashArea journal() const { return journal_; }
  [[nodiscard]] FlashArea cache() const { return cache_; }
  [[nodiscard]] std::uint64_t end() const { return end_; }

 private:
  [[nodiscard]] FlashArea next(Bytes size) {
    const std::uint64_t first = end_;
    end_ += (size.value() + block_bytes_ - 1) / block_bytes_;
    return {first, end_};
  }

  std::uint64_t block_bytes_;
  std::uint64_t end_ = 0;
  FlashArea rewrites_;
  FlashArea journal_;
  FlashArea cache_;
};

}  // namespace tessera
