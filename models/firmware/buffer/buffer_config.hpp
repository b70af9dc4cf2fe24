#pragma once
// The two caches of the HWSR paper (Wan et al., sections II-A and II-D) that its layers share: a write buffer in memory and a
// read cache in flash, both of blocks.
#include <cstdint>
#include <string>
#include <vector>

#include "base/parameter.hpp"
#include "base/units.hpp"
#include "firmware/flash/page_order.hpp"
#include "firmware/ports/flash_port.hpp"

namespace tessera {

/// Which blocks leave the full write buffer (section II-D); all go to one segment.
enum class Replacement : std::uint32_t {
  block_lru,                 ///< the least recently used block alone
  segment_lru,               ///< all blocks of the least recently used segment
  least_write_amplification  ///< the least recently used block, and those of its segment within a window of it
};

/// How the write buffer survives a power cut; the paper does not say.
enum class BufferDurability : std::uint32_t {
  plp,             ///< dumped to flash within the hold-up time
  journal,         ///< each write is in a flash journal before its acknowledgement
  volatile_memory  ///< only FLUSH and FUA promise anything
};

/// Where the image of a segment is safe while the segment is rewritten in place; the paper does not say.
enum class RewriteGuard : std::uint32_t {
  flash,  ///< in the journal of rewrites
  dump    ///< in DRAM that is dumped on power loss
};

/// How much of what a read misses the layer is asked for at once.
enum class ReadOrder : std::uint32_t {
  segment,  ///< what lies in one segment, and then the next
  track     ///< all of it, so that a track that several segments share is visited once
};

struct BufferConfig {
  Bytes memory{100'000'000};  // table II
  Bytes flash{200'000'000};   // table II
  Bytes block{32'768};        // section IV-A: 64 sectors of 512 B
  Replacement replacement = Replacement::least_write_amplification;
  std::uint32_t lwa_window = 10;  // ours: the paper has "a predefined window"
  std::uint32_t keep_free = 0;
  BufferDurability durability = BufferDurability::plp;
  Bytes journal{std::uint64_t{16} << 20};          // ours
  Bytes rewrite_journal{std::uint64_t{16} << 20};  // ours: two dozen images of a segment, so that its blocks wear slowly
  std::uint32_t journal_stripe = 8;                // ours: dies and planes of a small array
  std::uint32_t fill_buffers = 4;                  // ours
  Picoseconds idle_after{5'000'000'000'000};       // ours: 5 s, far longer than the gaps of the paper's traces; it has no idle work
  RewriteGuard rewrite_guard = RewriteGuard::flash;
  PairedPages paired_pages = PairedPages::lower_only;
  bool dump_tags = true;  // ours
  bool paper = false;
  bool crash_safe = true;

  void describe(ParameterVisitor& visitor);
  /// Without what is for layers that rewrite in place; `journals`: whether the layer has any journal in flash.
  void describe_caches(ParameterVisitor& visitor, bool journals);

  /// As published: nothing survives in memory, and segments are rewritten where they lie with no copy elsewhere.
  [[nodiscard]] BufferDurability promised() const { return paper ? BufferDurability::volatile_memory : durability; }
  /// The journals' pages; the read cache, which is empty after a power cut, uses all.
  /// What this flash puts at risk: the journals; the read cache is empty after a power cut.
  [[nodiscard]] std::vector<std::string> warnings(const FlashShape& shape) const;
  [[nodiscard]] bool dumps_tags() const { return dump_tags && !paper; }
  [[nodiscard]] bool knows_lost_pages() const { return dumps_tags() || !needs_journal(); }
  [[nodiscard]] PairedPages paired() const { return paper ? PairedPages::unsafe : paired_pages; }
  [[nodiscard]] bool guards_rewrites() const { return crash_safe && !paper; }
  [[nodiscard]] bool journals_rewrites() const { return guards_rewrites() && rewrite_guard == RewriteGuard::flash; }
  [[nodiscard]] bool dumps_rewrites() const { return guards_rewrites() && rewrite_guard == RewriteGuard::dump; }
  [[nodiscard]] bool needs_journal() const { return journals_rewrites() || promised() == BufferDurability::journal; }

  [[nodiscard]] std::uint32_t block_sectors(std::uint32_t sector_bytes) const {
    return static_cast<std::uint32_t>(block.value() / sector_bytes);
  }
  [[nodiscard]] std::uint32_t memory_blocks() const { return static_cast<std::uint32_t>(memory.value() / block.value()); }
  /// Blocks of the write buffer above which evictions in the background make room.
  [[nodiscard]] std::uint32_t most_blocks_kept() const { return memory_blocks() - (memory_blocks() * keep_free + 99) / 100; }

  /// A sentence why blocks of this size do not do for `sector_bytes`, or nothing.
  [[nodiscard]] std::string problem(std::uint32_t sector_bytes, std::uint32_t segment_blocks) const;
  /// A sentence why this flash cannot hold journal and read cache, or nothing.
  [[nodiscard]] std::string flash_problem(const FlashShape& shape, std::uint32_t sector_bytes, std::uint32_t segment_blocks) const;
};

}  // namespace tessera
