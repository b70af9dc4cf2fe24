#include "firmware/buffer/buffer_config.hpp"

#include "firmware/buffer/block_address.hpp"
#include "firmware/buffer/flash_areas.hpp"
#include "firmware/buffer/flash_journal.hpp"

namespace tessera {

void BufferConfig::describe_caches(ParameterVisitor& visitor, bool journals) {
  visitor.field("memory", memory, {4096, 68'719'476'736.0}, "MEM: DRAM for written blocks");
  visitor.field("flash", flash, {0, 1e15}, "SSD: flash for blocks that reads brought from the disk; 0: no read cache");
  visitor.field("block", block, {512, 262'144}, "size of a block: what the caches hold and what a segment has on one track");
  visitor.enumeration("replacement", replacement, {"block_lru", "segment_lru", "least_write_amplification"},
                      "which blocks leave the full write buffer");
  visitor.unused_where(replacement != Replacement::least_write_amplification, "replacement is not least_write_amplification", [&] {
    visitor.field("lwa_window", lwa_window, {1, 100},
                  "percent of the buffer's blocks, least recently used first, that leave with a victim of theirs");
  });
  visitor.field(
      "keep_free", keep_free, {0, 50},
      "percent of the write buffer's blocks that evictions in the background keep free; 0: only a write that finds it full evicts");
  visitor.unused_where(paper, "paper is true", [&] {
    visitor.enumeration("durability", durability, {"plp", "journal", "volatile"},
                        "plp: dumped on power loss; journal: in a flash journal before the acknowledgement; volatile: FLUSH and FUA only");
    visitor.unused_where(durability != BufferDurability::journal, "durability is not journal", [&] {
      visitor.field("journal", journal, {0, 1e12}, "flash for the journal of writes (durability journal)");
    });
  });
  visitor.unused_where(!journals, "the layer has no journal in flash", [&] {
    visitor.field("journal_stripe", journal_stripe, {1, 256}, "flash blocks that a journal fills side by side");
    visitor.unused_where(paper, "paper is true", [&] {
      describe_paired_pages(visitor, paired_pages);
      visitor.field("dump_tags", dump_tags,
                    "the dump engine saves what the journals' newest pages are, so that one that becomes unreadable is not taken for torn");
    });
  });
  visitor.unused_where(flash.value() == 0, "flash is 0 B", [&] {
    visitor.field("fill_buffers", fill_buffers, {1, 64}, "segments read from the disk that may wait for their way into flash");
  });
  visitor.field("idle_after", idle_after, {1e6, 1e16}, "time without host commands after which the write buffer empties itself");
}

void BufferConfig::describe(ParameterVisitor& visitor) {
  describe_caches(visitor, needs_journal());
  visitor.unused_where(!guards_rewrites(), "rewrites are not guarded (paper, crash_safe)", [&] {
    visitor.enumeration(
        "rewrite_guard", rewrite_guard, {"flash", "dump"},
        "where images of segments are safe during their rewrite: flash: in a journal; dump: in dumped memory (durability plp)");
    visitor.unused_where(rewrite_guard != RewriteGuard::flash, "rewrite_guard is not flash", [&] {
      visitor.field("rewrite_journal", rewrite_journal, {0, 1e12},
                    "flash for images of segments that are about to be rewritten (crash_safe)");
    });
  });
  visitor.field("paper", paper, "as published: the write buffer is volatile and segments are rewritten with no copy elsewhere");
  visitor.unused_where(paper, "paper is true", [&] {
    visitor.field("crash_safe", crash_safe, "journal the image of what a rewrite destroys before its first write to the disk");
  });
}

std::string BufferConfig::problem(std::uint32_t sector_bytes, std::uint32_t segment_blocks) const {
  const std::uint64_t sectors = block.value() / sector_bytes;
  if (block.value() % sector_bytes != 0 || sectors == 0 || sectors > most_block_sectors)
    return "a block of " + std::to_string(block.value()) + " B is not 1 to " + std::to_string(most_block_sectors) + " sectors of " +
           std::to_string(sector_bytes) + " B: choose a multiple of the sector up to " +
           std::to_string(std::uint64_t{most_block_sectors} * sector_bytes) + " B";
  if (segment_blocks > most_segment_blocks)
    return "a segment of " + std::to_string(segment_blocks) + " blocks is larger than the " + std::to_string(most_segment_blocks) +
           " that a segment node has room for";
  if (dumps_rewrites() && promised() != BufferDurability::plp)
    return "rewrite_guard = \"dump\" needs a drive that dumps its buffer: durability = \"plp\", or rewrite_guard = \"flash\"";
  if (memory_blocks() < 2)
    return "a write buffer of " + std::to_string(memory.value()) + " B (memory) does not hold two blocks of " +
           std::to_string(block.value()) + " B";
  return {};
}

std::string BufferConfig::flash_problem(const FlashShape& shape, std::uint32_t sector_bytes, std::uint32_t segment_blocks) const {
  if (needs_journal() && shape.subpage_oob_bytes() < FlashJournal::record_bytes)
    return "the out-of-band area of a page has " + std::to_string(shape.subpage_oob_bytes()) + " B " +
           (shape.subpages == 1 ? "" : "for each of its " + std::to_string(shape.subpages) + " sectors ") + "and a journal record takes " +
           std::to_string(FlashJournal::record_bytes) + " B";
  const FlashAreas areas(*this, shape, sector_bytes);
  const PageOrder order(shape, paired());
  const std::uint32_t image = order.page_end(segment_blocks * block_sectors(sector_bytes));
  if (journals_rewrites() && FlashJournal::capacity(areas.rewrites(), order, journal_stripe) < std::uint64_t{2} * image)
    return "a rewrite_journal of " + std::to_string(areas.rewrites().blocks()) +
           " flash blocks does not hold the images of two segments of " + std::to_string(image) + " sectors each beside the rows in use";
  if (promised() == BufferDurability::journal &&
      FlashJournal::capacity(areas.journal(), order, journal_stripe) < std::uint64_t{4} * order.page_end(block_sectors(sector_bytes)))
    return "a journal of " + std::to_string(areas.journal().blocks()) + " flash blocks does not hold four blocks beside the rows in use";
  if (areas.end() > shape.blocks)
    return "journals and read cache take " + std::to_string(areas.end()) + " flash blocks and the drive has " +
           std::to_string(shape.blocks) + ": make flash, journal or rewrite_journal smaller";
  return {};
}

std::vector<std::string> BufferConfig::warnings(const FlashShape& shape) const {
  return needs_journal() ? paired_pages_warnings(shape, paired(), paper) : std::vector<std::string>{};
}

}  // namespace tessera
