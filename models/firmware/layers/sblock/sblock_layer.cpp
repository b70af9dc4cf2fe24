#include "firmware/layers/sblock/sblock_layer.hpp"

namespace tessera::sblock {

namespace {

/// The dump engine saves the table of the newest slots, whatever the durability of the write buffer.
Survival newest_slots(const BufferConfig& caches) { return caches.paper ? Survival::volatile_memory : Survival::dumped; }

}  // namespace

Sblock::Sblock(const Ports& ports, const SblockConfig& config, const DriveGeometry& geometry, const FormatPlan& plan)
    : Sblock(ports, config,
             std::make_unique<SblockStore>(ports, config.region_config(), geometry, plan, config.sblock_sectors(geometry.sector_bytes),
                                           newest_slots(config.caches))) {}

Sblock::Sblock(const Ports& ports, const SblockConfig& config, std::unique_ptr<SblockStore> store)
    : BufferedLayer(ports, config.cache_config(), config.sblock_blocks, store->sblocks(), ReadOrder::segment), store_(std::move(store)) {}

Task<Status> Sblock::read_media(std::span<const SegmentRead> reads) {
  for (const SegmentRead& read : reads) {
    const Status status = co_await store_->read(read.run, read.data, MediaClass::host);
    if (!ok(status)) co_return status;
  }
  co_return Status::ok;
}

/// An S-block is a segment.
Task<Status> Sblock::write_back(const Destage& destage) {
  gaps_.clear();
  for (std::uint32_t block = 0; block < address().segment_blocks(); ++block) {
    const SectorMask clean = ~destage.dirty[block] & address().whole_block();
    for_each_run(clean, [&](std::uint32_t first, std::uint32_t count) {
      const std::uint32_t at = block * address().block_sectors() + first;
      if (!gaps_.empty() && gaps_.back().first + gaps_.back().count == at) {
        gaps_.back().count += count;
      } else {
        gaps_.push_back({at, count});
      }
    });
  }
  const std::span<const SectorGap> gaps(gaps_);
  co_return co_await store_->write(destage.segment, destage.image, gaps, destage.priority);
}

/// Parts of S-blocks stay as they are.
Task<Status> Sblock::trim_media(std::uint64_t segment, std::uint64_t blocks) {
  if (blocks != mask_of(0, address().segment_blocks())) co_return Status::ok;
  co_return co_await store_->trim(segment);
}

// --- Figures ---

void Sblock::report(MetricSet& metrics) const {
  report_buffer(metrics, store_->paper_metadata(), store_->metadata());
  store_->report(metrics);
}

}  // namespace tessera::sblock
