// Reads: write buffer, then read cache, then disk, and what misses goes into the read cache by whole blocks.
#include <algorithm>

#include "firmware/buffer/buffered_layer.hpp"

namespace tessera {

/// A sector that the write buffer has as lost came from a journal page that boot could not read.
Task<Status> BufferedLayer::read(LogicalRun run, DataSpan data) {
  const auto misses = misses_.take();
  for (std::uint32_t done = 0; done < run.count;) {
    const LogicalRun rest{run.first + done, run.count - done};
    const LogicalRun part = read_order_ == ReadOrder::segment ? address_.first_segment(rest) : rest;
    misses->clear();
    const DataSpan part_data = data.part(done, part.count);
    co_await read_caches(part, part_data, *misses);
    done += part.count;
    if (misses->wanted.empty()) continue;
    const Status status = co_await read_disk(*misses);
    if (!ok(status)) co_return status;
  }
  if (!left_in_journal_.empty()) {
    const Status status = co_await read_left_in_journal(run, data);
    if (!ok(status)) co_return status;
  }
  co_return any_lost(data) ? Status::lost : Status::ok;
}

/// What the write buffer or the read cache has all of; the rest are misses.
Task<void> BufferedLayer::read_caches(LogicalRun run, DataSpan data, Misses& misses) {
  for (std::uint32_t done = 0; done < run.count;) {
    const BlockRun piece = address_.first_block({run.first + done, run.count - done});
    const DataSpan part = data.part(done, piece.count);
    const bool held = co_await read_held(piece, part);
    if (!held) add_miss(piece, part, misses);
    done += piece.count;
  }
}

/// Whether one of the caches had it.
Task<bool> BufferedLayer::read_held(const BlockRun& piece, DataSpan data) {
  const MemBuffer::Slot slot = buffer_.find(piece.block);
  if (slot != MemBuffer::none) {
    if ((~buffer_.valid(slot) & mask_of(piece.first, piece.count)) != 0) co_return false;
    ports_.memory.copy(buffer_.data(slot, piece.first, piece.count), data);
    read_buffer_ += piece.count;
    co_return true;
  }
  const SsdReadCache::Slot cached = cache_ ? cache_->find(piece.block) : SsdReadCache::none;
  if (cached == SsdReadCache::none) co_return false;
  const Status status = co_await cache_->read(cached, piece.first, piece.count, data);
  if (ok(status)) {
    read_flash_ += piece.count;
    co_return true;
  }
  invalidate(piece.block);  // the disk has it too
  co_return false;
}

/// Misses side by side in one segment are one.
void BufferedLayer::add_miss(const BlockRun& piece, DataSpan data, Misses& misses) const {
  const LogicalSector first = address_.first_sector(piece.block) + piece.first;
  if (!misses.wanted.empty()) {
    SegmentRead& last = misses.wanted.back();
    if (last.run.end() == first && address_.segment_of(last.run.first) == address_.segment_of(first)) {
      last.run.count += piece.count;
      last.data.count += piece.count;
      return;
    }
  }
  misses.wanted.push_back({{first, piece.count}, data});
}

/// What the write buffer has of the misses is newer than the disk.
Task<Status> BufferedLayer::read_disk(Misses& misses) {
  const std::uint64_t first = address_.segment_of(misses.wanted.front().run.first);
  const std::uint64_t last = address_.segment_of(misses.wanted.back().run.first);
  auto lock = segment_locks_.shared({LogicalSector(first), LogicalSector(last + 1)});
  co_await lock;
  begin_fills(misses);
  const std::span<const SegmentRead> reads(misses.read);
  Status status = co_await read_media(reads);
  end_fills(misses, ok(status));
  if (!ok(status) && delivered(status)) {
    status = Status::ok;
    for (std::size_t i = 0; i < misses.wanted.size() && ok(status); ++i) status = co_await read_needed(misses.wanted[i]);
  }
  if (!ok(status)) co_return status;
  for (const SegmentRead& miss : misses.wanted) copy_buffered(miss.run, miss.data);
  co_return Status::ok;
}

/// What cannot be read may lie beside what the host wants, in a block that was to be cached, or be what the write buffer has, newer.
Task<Status> BufferedLayer::read_needed(const SegmentRead& miss) {
  const std::vector<LogicalRun> parts = not_buffered(miss.run);
  for (const LogicalRun& part : parts) {
    const SegmentRead needed{part, miss.data.part(static_cast<std::uint32_t>(part.first - miss.run.first), part.count)};
    const std::span<const SegmentRead> one(&needed, 1);
    const Status status = co_await read_media(one);
    if (!ok(status)) co_return status;
  }
  co_return Status::ok;
}

/// The parts of `run` that only the disk has.
std::vector<LogicalRun> BufferedLayer::not_buffered(LogicalRun run) const {
  std::vector<LogicalRun> parts;
  for (std::uint32_t done = 0; done < run.count;) {
    const BlockRun piece = address_.first_block({run.first + done, run.count - done});
    const MemBuffer::Slot slot = buffer_.find(piece.block);
    const SectorMask here = slot == MemBuffer::none ? left_in_journal(piece) : buffer_.valid(slot);
    for_each_run(~here & mask_of(piece.first, piece.count), [&](std::uint32_t first, std::uint32_t count) {
      const LogicalSector start = address_.first_sector(piece.block) + first;
      if (!parts.empty() && parts.back().end() == start)
        parts.back().count += count;
      else
        parts.push_back({start, count});
    });
    done += piece.count;
  }
  return parts;
}

void BufferedLayer::copy_buffered(LogicalRun run, DataSpan data) {
  for (std::uint32_t done = 0; done < run.count;) {
    const BlockRun piece = address_.first_block({run.first + done, run.count - done});
    const MemBuffer::Slot slot = buffer_.find(piece.block);
    if (slot != MemBuffer::none) {
      for_each_run(buffer_.valid(slot) & mask_of(piece.first, piece.count), [&](std::uint32_t first, std::uint32_t count) {
        ports_.memory.copy(buffer_.data(slot, first, count), data.part(done + first - piece.first, count));
      });
    }
    done += piece.count;
  }
}

/// Of a block that the write buffer does not have: what is newer in the journal than on the disk.
SectorMask BufferedLayer::left_in_journal(const BlockRun& piece) const {
  SectorMask left = 0;
  const std::uint64_t first = address_.first_sector(piece.block).value();
  for (auto record = left_in_journal_.lower_bound(first); record != left_in_journal_.end(); ++record) {
    if (record->first >= first + address_.block_sectors()) break;
    left |= mask_of(static_cast<std::uint32_t>(record->first - first), 1);
  }
  return left;
}

Task<Status> BufferedLayer::read_left_in_journal(LogicalRun run, DataSpan data) {
  auto record = left_in_journal_.lower_bound(run.first.value());
  for (; record != left_in_journal_.end() && record->first < run.end().value(); ++record) {
    ports_.cpu.hash();
    const DataSpan sector = data.part(static_cast<std::uint32_t>(record->first - run.first.value()), 1);
    const std::span<const FlashJournal::Record> one(&record->second, 1);
    const Status status = co_await journal_->read(one, sector);
    if (!ok(status)) co_return status;
  }
  co_return Status::ok;
}

// --- Filling the read cache ---

/// From here on a miss is read by whole blocks where there is a buffer for them.
void BufferedLayer::begin_fills(Misses& misses) {
  for (const SegmentRead& miss : misses.wanted) {
    read_media_ += miss.run.count;
    Fill* const fill = cache_ ? begin_fill(miss.run) : nullptr;
    misses.fills.push_back(fill);
    if (fill == nullptr) {
      misses.read.push_back(miss);
      continue;
    }
    const LogicalRun whole{address_.first_sector(fill->first_block), fill->blocks * address_.block_sectors()};
    misses.read.push_back({whole, fill->data.part(0, whole.count)});
  }
}

/// Where the reading was `good`, the host gets its part of the blocks and the cache all.
void BufferedLayer::end_fills(const Misses& misses, bool good) {
  for (std::size_t i = 0; i < misses.fills.size(); ++i) {
    Fill* const fill = misses.fills[i];
    if (fill == nullptr) continue;
    fill->state = good ? Fill::State::ready : Fill::State::free;
    if (!good) continue;
    const SegmentRead& miss = misses.wanted[i];
    const auto offset = static_cast<std::uint32_t>(miss.run.first - misses.read[i].run.first);
    ports_.memory.copy(fill->data.part(offset, miss.run.count), miss.data);
    filled_.wake_all();
  }
}

/// A buffer for the blocks that `run` touches, or null where all are in use. Blocks of the write buffer are not to be cached.
BufferedLayer::Fill* BufferedLayer::begin_fill(LogicalRun run) {
  const auto found = std::ranges::find(fills_, Fill::State::free, &Fill::state);
  if (found == fills_.end()) return nullptr;
  found->state = Fill::State::reading;
  found->first_block = address_.block_of(run.first);
  found->blocks = static_cast<std::uint32_t>(address_.block_of(run.end() - 1) - found->first_block + 1);
  found->wanted = 0;
  for (std::uint32_t i = 0; i < found->blocks; ++i)
    if (buffer_.find(found->first_block + i) == MemBuffer::none) found->wanted |= std::uint64_t{1} << i;
  return &*found;
}

bool BufferedLayer::filling() const {
  return std::ranges::any_of(fills_, [](const Fill& fill) { return fill.state != Fill::State::free; });
}

/// The block's data on the disk is, or will be, out of date.
void BufferedLayer::invalidate(std::uint64_t block) {
  if (!cache_) return;
  cache_->invalidate(block);
  for (Fill& fill : fills_)
    if (block >= fill.first_block && block < fill.first_block + fill.blocks)
      fill.wanted &= ~(std::uint64_t{1} << (block - fill.first_block));
}

Task<void> BufferedLayer::fill_loop() {
  for (;;) {
    const auto ready = std::ranges::find(fills_, Fill::State::ready, &Fill::state);
    if (ready == fills_.end()) {
      co_await filled_.change(LifePhase::cpu_wait);
      continue;
    }
    for (std::uint32_t i = 0; i < ready->blocks; ++i) {
      if ((ready->wanted >> i & 1U) == 0) continue;
      const DataSpan data = ready->data.part(i * address_.block_sectors(), address_.block_sectors());
      co_await cache_->fill(ready->first_block + i, data);
    }
    ready->state = Fill::State::free;
  }
}

}  // namespace tessera
