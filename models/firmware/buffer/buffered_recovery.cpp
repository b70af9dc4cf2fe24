// Boot after a power cut: the rewrite that the cut may have ended is done again, then the write buffer comes back from the dump
// or from the journal.
#include <algorithm>

#include "firmware/buffer/buffered_layer.hpp"

namespace tessera {

Task<Status> BufferedLayer::recover() {
  Status status = co_await recover_media();
  if (!ok(status)) co_return status;
  if (rewrites_) status = co_await replay_last_rewrite();
  if (guarded_) status = co_await replay_dumped_rewrite();
  if (!ok(status)) co_return status;
  if (config_.promised() == BufferDurability::plp) sequence_ = buffer_.restore();
  if (journal_) status = co_await replay_journal();
  co_return status;
}

/// Rewrites go one after another, so only the last can be unfinished. Writing it once more does no harm; then the journal has
/// nothing of need, and what a cut tore behind the last image takes no space from the next ones.
Task<Status> BufferedLayer::replay_last_rewrite() {
  std::vector<FlashJournal::Record> records;
  Status status = co_await rewrites_->recover(records, FlashJournal::Rest::dropped);
  if (ok(status) && !records.empty()) status = co_await replay_rewrite_of(records);
  if (ok(status)) rewrites_->release_before(rewrites_->head());
  co_return status;
}

/// Of the newest of these records' groups.
Task<Status> BufferedLayer::replay_rewrite_of(std::vector<FlashJournal::Record>& records) {
  const std::uint64_t last = records.back().group;
  std::erase_if(records, [last](const FlashJournal::Record& record) { return record.group != last; });
  const DataSpan image = image_->part(0, records.back().count);
  const Status status = co_await rewrites_->read(records, image);
  if (!ok(status)) co_return status;
  const std::uint64_t first = records.front().sector;
  co_return co_await replay_rewrite(first, image);
}

Task<Status> BufferedLayer::replay_dumped_rewrite() {
  const Guarded guarded = guarded_->read(0);
  if (guarded.count == 0) co_return Status::ok;
  const DataSpan image = image_->part(guarded.offset, guarded.count);
  const Status status = co_await replay_rewrite(guarded.first, image);
  guarded_->write(0).count = 0;
  co_return status;
}

/// Records in order: the newest of a sector is what remains. Where they are more than the buffer holds, blocks leave it for the
/// disk as they do in operation, and where that takes no more writes, records stay where they are and are read there: then the drive
/// takes no more writes either.
Task<Status> BufferedLayer::replay_journal() {
  std::vector<FlashJournal::Record> records;
  Status status = co_await journal_->recover(records, FlashJournal::Rest::kept);
  if (!ok(status)) co_return status;
  for (const FlashJournal::Record& record : records) {
    if (left_in_journal_.empty()) replayed_to_ = record.sequence;
    const BlockRun piece = address_.first_block({LogicalSector(record.sector), 1});
    MemBuffer::Slot slot = buffer_.find(piece.block);
    while (slot == MemBuffer::none && buffer_.full() && !read_only_) {
      const bool last_resort = buffer_.only_set_aside();
      status = co_await evict_above(buffer_.slots() - 1, MediaClass::dependent);
      if (!ok(status) && last_resort) read_only_ = true;
      slot = buffer_.find(piece.block);
    }
    if (slot == MemBuffer::none && buffer_.full()) {
      left_in_journal_[record.sector] = record;
      continue;
    }
    if (slot == MemBuffer::none) slot = buffer_.take(piece.block);
    buffer_.written(slot, piece.first, 1, record.sequence);
    const DataSpan data = buffer_.data(slot, piece.first, 1);
    const std::span<const FlashJournal::Record> one(&record, 1);
    status = co_await journal_->read(one, data);
    if (!ok(status)) co_return status;
  }
  if (left_in_journal_.empty()) replayed_to_ = ~std::uint64_t{0};
  release_journal();
  co_return Status::ok;
}

}  // namespace tessera
