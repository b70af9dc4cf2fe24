#pragma once
// The flash as a layer sees it behind a flash cache: the cache has the last blocks, and the layer does not know that they exist. Blocks
// keep their numbers.
#include "firmware/ports/flash_port.hpp"

namespace tessera {

/// `flash` without its last `blocks`.
[[nodiscard]] inline FlashShape without_blocks(FlashShape flash, std::uint64_t blocks) {
  flash.blocks -= blocks;
  return flash;
}

class FlashShare final : public FlashPort {
 public:
  FlashShare(FlashPort& flash, std::uint64_t taken) : flash_(flash), shape_(without_blocks(flash.shape(), taken)) {}

  [[nodiscard]] FlashShape shape() const override { return shape_; }
  [[nodiscard]] bool is_bad(NandBlock block) const override { return flash_.is_bad(block); }
  void submit(FlashBatch& batch) override { flash_.submit(batch); }

 private:
  FlashPort& flash_;
  FlashShape shape_;
};

}  // namespace tessera
