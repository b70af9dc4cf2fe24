// Layers behind a memory buffer: its figures.
#include "firmware/buffer/buffered_layer.hpp"
#include "firmware/layers/layer_statistics.hpp"

namespace tessera {

void BufferedLayer::report_buffer(MetricSet& metrics, Bytes paper_metadata_bytes, Bytes actual) const {
  const auto count = [&metrics](const char* name, std::uint64_t value, const char* unit, const char* description) {
    metrics.count(name, static_cast<double>(value), unit, description);
  };
  count("hit.write.buffer", absorbed_, "sectors", "sectors written that were in the buffer");
  metrics.add("hit.write", writes_ == 0 ? std::nullopt : std::optional(static_cast<double>(absorbed_) / static_cast<double>(writes_)), "1",
              "sectors written that were in the buffer over sectors written");
  count("hit.read.buffer", read_buffer_, "sectors", "sectors read from the buffer");
  count("hit.read.flash", read_flash_, "sectors", "sectors read from the flash cache");
  count("hit.read.media", read_media_, "sectors", "sectors read from their bands");
  std::uint64_t failed_programs = cache_ ? cache_->failed_programs() : 0;
  std::uint64_t retired_blocks = cache_ ? cache_->retired_blocks() : 0;
  for (const auto* journal : {&rewrites_, &journal_}) {
    if (!*journal) continue;
    failed_programs += (*journal)->failed_programs();
    retired_blocks += (*journal)->retired_blocks();
  }
  count("flash.program_failures", failed_programs, "1", "page programs that failed; the blocks were retired");
  metrics.add("flash.retired_blocks", static_cast<double>(retired_blocks), "1", "blocks that are not used, from the factory or since");
  metrics.add("buffer.dirty.peak", static_cast<double>(std::uint64_t{buffer_.peak()} * config_.block.value()), "B",
              "most blocks in the write buffer: what a power loss must save");
  count("buffer.lost_at_boot", buffer_.lost_at_boot(), "sectors",
        "unwritten sectors of the write buffer that a boot found lost: the dump had failed before them");
  count("buffer.given_up", given_up_, "blocks", "blocks of the write buffer that left it although a sector of them could not be written");
  report_cleanings(metrics, cleaning_, "cleanings");
  metrics.add("victim.buffer_blocks_mean", victims_taken_.mean(), "1", "blocks of the write buffer that one write-back took");
  metrics.add("victim.sectors_mean", sectors_taken_.mean(), "sectors", "sectors written back over zones involved");
  count("flash_cache.fills", cache_ ? cache_->fills() : 0, "1", "blocks taken into the flash read cache");
  if (cache_) {
    const std::uint64_t block = address_.block_sectors();
    report_fill(metrics, "read_cache",
                {cache_->fills() * block, read_flash_, read_media_,
                 block * SsdReadCache::capacity(areas_->cache(), ports_.flash->shape(), address_.block_sectors())});
  }
  count("flash_cache.evictions", cache_ ? cache_->evictions() : 0, "1", "blocks that left the flash read cache for others");
  count("rewrite_journal.sectors", rewrites_ ? rewrites_->pages_written() : 0, "sectors",
        "flash pages of images of segments before their rewrite");
  count("write_journal.sectors", journal_ ? journal_->pages_written() : 0, "sectors",
        "flash pages of host writes before their acknowledgement");
  if (journal_ && ports_.flash->shape().subpages > 1)
    count("flash.collected", journal_->collected(), "sectors", "sectors programmed to a page that another write had begun");
  const auto area = [&](const std::string& name, const FlashArea& blocks, std::uint64_t erases) {
    metrics.add("flash.area." + name + ".blocks", static_cast<double>(blocks.blocks()), "1",
                "flash blocks of this area, which wear in turn");
    count(("flash.area." + name + ".erases").c_str(), erases, "1", "erases in this area of the flash");
  };
  if (rewrites_) area("rewrite_journal", areas_->rewrites(), rewrites_->erases());
  if (journal_) area("write_journal", areas_->journal(), journal_->erases());
  if (cache_) area("read_cache", areas_->cache(), cache_->erases());
  const Bytes nodes = SegmentTable::node_bytes(address_.segment_blocks()) * table_.nodes();
  Bytes caches = table_.bytes() + buffer_.metadata_bytes() + (cache_ ? cache_->metadata_bytes() : Bytes(0));
  for (const auto* journal : {&rewrites_, &journal_})
    if (*journal) caches += (*journal)->bytes();
  report_mapping_memory(metrics, paper_metadata_bytes + nodes, actual + caches);
}

}  // namespace tessera
