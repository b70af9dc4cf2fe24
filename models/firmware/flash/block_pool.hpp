#pragma once
// The free blocks of a flash cache, the order in which they are handed out, and the blocks that are never used again.
#include <cstdint>
#include <vector>

#include "base/units.hpp"
#include "firmware/ports/cpu_port.hpp"

namespace tessera {

inline constexpr GaugeInfo free_blocks_gauge{"flash.free_blocks", "1", "erased flash blocks that can be written"};

/// Order of the free list. The paper names none and has no wear levelling, so the order decides the spread of wear.
enum class FreeOrder : std::uint32_t { fifo, lifo, lowest };

class BlockPool {
 public:
  /// `published`: the free blocks of this pool, and of others that share it; null for none.
  BlockPool(std::uint32_t blocks, FreeOrder order, Gauge* published = nullptr);

  [[nodiscard]] std::uint32_t free() const { return static_cast<std::uint32_t>(count_); }
  [[nodiscard]] bool empty() const { return count_ == 0; }

  /// The next block in the pool's order; the pool must not be empty.
  std::uint32_t take();
  /// An erased block comes (back) into the pool, unless it was retired.
  void put(std::uint32_t block);
  /// Forgets the free blocks (before recovery fills the pool again).
  void clear();

  /// The block failed: put() drops it from now on.
  void retire(std::uint32_t block);
  [[nodiscard]] bool retired(std::uint32_t block) const { return retired_[block]; }
  [[nodiscard]] std::uint64_t retired_count() const { return retired_count_; }

  /// Memory of the free list and the marks.
  [[nodiscard]] Bytes bytes() const { return Bytes(ring_.size() * sizeof(std::uint32_t) + (retired_.size() + 7) / 8); }

 private:
  Gauge* published_;
  FreeOrder order_;
  std::vector<std::uint32_t> ring_;  // fifo: a ring; lifo: a stack; lowest: a binary min-heap
  std::size_t head_ = 0;             // of the ring
  std::size_t count_ = 0;
  std::vector<bool> retired_;
  std::uint64_t retired_count_ = 0;
};

}  // namespace tessera
