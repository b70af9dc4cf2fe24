#pragma once
// How logical sectors fall into the blocks and segments that buffer and cache are made of (Wan et al., equations 2 to 4).
#include <cstdint>

#include "base/address.hpp"
#include "base/fixed_divisor.hpp"

namespace tessera {

/// Sectors of one block or segment, one bit each; a block has at most 64.
using SectorMask = std::uint64_t;
inline constexpr std::uint32_t most_block_sectors = 64;
/// Blocks of one segment, one bit each.
inline constexpr std::uint32_t most_segment_blocks = 64;

/// Bits [first, first + count).
[[nodiscard]] constexpr SectorMask mask_of(std::uint32_t first, std::uint32_t count) {
  return (count >= 64 ? ~SectorMask{0} : (SectorMask{1} << count) - 1) << first;
}

/// Calls `call(first, count)` for each run of set bits, in ascending order.
template <class Call>
constexpr void for_each_run(SectorMask mask, Call call) {
  while (mask != 0) {
    const auto first = static_cast<std::uint32_t>(__builtin_ctzll(mask));
    const SectorMask rest = ~(mask >> first);
    const std::uint32_t count = rest == 0 ? 64 - first : static_cast<std::uint32_t>(__builtin_ctzll(rest));
    call(first, count);
    mask &= ~mask_of(first, count);
  }
}

/// Sectors [first, first + count) of block `block`, which counts from the start of the drive.
struct BlockRun {
  std::uint64_t block = 0;
  std::uint32_t first = 0;
  std::uint32_t count = 0;
};

/// Blocks of `block_sectors` in address order; `segment_blocks` of them make a segment.
class BlockAddress {
 public:
  BlockAddress(std::uint32_t block_sectors, std::uint32_t segment_blocks) : block_(block_sectors), segment_(segment_blocks) {}

  [[nodiscard]] std::uint32_t block_sectors() const { return static_cast<std::uint32_t>(block_.divisor()); }
  [[nodiscard]] std::uint32_t segment_blocks() const { return static_cast<std::uint32_t>(segment_.divisor()); }
  [[nodiscard]] std::uint32_t segment_sectors() const { return block_sectors() * segment_blocks(); }
  [[nodiscard]] SectorMask whole_block() const { return mask_of(0, block_sectors()); }

  [[nodiscard]] std::uint64_t block_of(LogicalSector sector) const { return block_.quotient(sector.value()); }
  [[nodiscard]] std::uint64_t segment_of(std::uint64_t block) const { return segment_.quotient(block); }
  [[nodiscard]] std::uint64_t segment_of(LogicalSector sector) const { return segment_of(block_of(sector)); }
  /// Place of a block in its segment.
  [[nodiscard]] std::uint32_t index_of(std::uint64_t block) const { return static_cast<std::uint32_t>(segment_.remainder(block)); }
  [[nodiscard]] std::uint64_t block(std::uint64_t segment, std::uint32_t index) const { return segment * segment_.divisor() + index; }
  [[nodiscard]] LogicalSector first_sector(std::uint64_t block) const { return LogicalSector(block * block_.divisor()); }

  /// The part of `run` that lies in its first sector's block.
  [[nodiscard]] BlockRun first_block(LogicalRun run) const {
    const std::uint64_t block = block_of(run.first);
    const auto first = static_cast<std::uint32_t>(block_.remainder(run.first.value()));
    return {block, first, run.count < block_sectors() - first ? run.count : block_sectors() - first};
  }
  /// The part of `run` that lies in its first sector's segment.
  [[nodiscard]] LogicalRun first_segment(LogicalRun run) const {
    const std::uint64_t end = (segment_of(run.first) + 1) * segment_sectors();
    const std::uint64_t left = end - run.first.value();
    return {run.first, run.count < left ? run.count : static_cast<std::uint32_t>(left)};
  }

 private:
  FixedDivisor block_;
  FixedDivisor segment_;
};

}  // namespace tessera
