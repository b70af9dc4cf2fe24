#include "firmware/flash/block_pool.hpp"

#include <algorithm>
#include <functional>

#include "base/check.hpp"

namespace tessera {

BlockPool::BlockPool(std::uint32_t blocks, FreeOrder order, Gauge* published)
    : published_(published), order_(order), ring_(blocks), retired_(blocks) {}

std::uint32_t BlockPool::take() {
  TESSERA_CHECK(count_ > 0, "a block is taken from an empty pool");
  if (published_ != nullptr) published_->fall(1);
  if (order_ == FreeOrder::fifo) {
    const std::uint32_t block = ring_[head_];
    head_ = (head_ + 1) % ring_.size();
    --count_;
    return block;
  }
  const auto end = ring_.begin() + static_cast<std::ptrdiff_t>(count_);
  if (order_ == FreeOrder::lowest) std::pop_heap(ring_.begin(), end, std::greater<>());
  return ring_[--count_];
}

void BlockPool::put(std::uint32_t block) {
  if (retired_[block]) return;
  TESSERA_CHECK(count_ < ring_.size(), "a block comes into the pool twice");
  ring_[(head_ + count_) % ring_.size()] = block;
  ++count_;
  if (published_ != nullptr) published_->rise(1);
  if (order_ == FreeOrder::lowest) std::push_heap(ring_.begin(), ring_.begin() + static_cast<std::ptrdiff_t>(count_), std::greater<>());
}

void BlockPool::clear() {
  if (published_ != nullptr) published_->fall(count_);
  head_ = 0;
  count_ = 0;
}

void BlockPool::retire(std::uint32_t block) {
  if (retired_[block]) return;
  retired_[block] = true;
  ++retired_count_;
}

}  // namespace tessera
