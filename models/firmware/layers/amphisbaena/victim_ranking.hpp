#pragma once
// The zone with the highest weight at once: the paper looks at all of them. A tree over the zones keeps the best of each pair; only
// zones whose chunks have changed are weighed again.
#include <algorithm>
#include <bit>
#include <cstdint>

#include "firmware/tables/dram_table.hpp"

namespace tessera::amphisbaena {

class VictimRanking {
 public:
  VictimRanking(MemoryPort& memory, std::uint32_t zones)
      : leaves_(std::bit_ceil(std::uint64_t{zones})), weights_(memory, MemoryCategory::metadata, 2 * leaves_, "weights of the zones") {}

  void set(std::uint32_t zone, std::uint64_t weight) {
    std::uint64_t at = leaves_ + zone;
    weights_.write(at) = weight;
    for (at /= 2; at != 0; at /= 2) {
      const std::uint64_t best = std::max(weights_.read(2 * at), weights_.read(2 * at + 1));
      if (weights_.read(at) == best) return;
      weights_.write(at) = best;
    }
  }
  /// Weight of the best.
  [[nodiscard]] std::uint64_t highest() const { return weights_.read(1); }
  /// The zone that has it; the first of several.
  [[nodiscard]] std::uint32_t best() const {
    std::uint64_t at = 1;
    while (at < leaves_) {
      at *= 2;
      if (weights_.read(at) < weights_.read(at / 2)) ++at;
    }
    return static_cast<std::uint32_t>(at - leaves_);
  }

  [[nodiscard]] Bytes bytes() const { return Bytes(weights_.size() * sizeof(std::uint64_t)); }

 private:
  std::uint64_t leaves_;
  DramArray<std::uint64_t> weights_;  // 1: the root; leaves_ + zone: of a zone
};

}  // namespace tessera::amphisbaena
