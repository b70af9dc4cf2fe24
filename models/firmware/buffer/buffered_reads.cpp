// Reads: write buffer, then read cache, then disk, and what misses goes into the read cache by whole blocks.
#include <algorithm>

#include "firmware/buffer/buffered_layer.hpp"

namespace tessera {

/// A sector that the write buffer has as lost came from a journal page that boot could not read.
Task<Status> BufferedLayer::read(LogicalRun run, DataSpan data) {
  for (std::uint32_t done = 0; done < run.count;) {
    const LogicalRun part = address_.first_segment({run.first + done, run.count - done});
    const DataSpan part_data = data.part(done, part.count);
    const Status status = co_await read_segment(part, part_data);
    if (!ok(status)) co_return status;
    done += part.count;
  }
  if (!left_in_journal_.empty()) {
    const Status status = co_await read_left_in_journal(run, data);
    if (!ok(status)) co_return status;
  }
  co_return any_lost(data) ? Status::lost : Status::ok;
}

/// Whether the write buffer or the read cache has all that a read wants of a block.
bool BufferedLayer::held(const BlockRun& piece) {
  const MemBuffer::Slot slot = buffer_.find(piece.block);
  if (slot != MemBuffer::none) return (~buffer_.valid(slot) & mask_of(piece.first, piece.count)) == 0;
  return cache_ && cache_->find(piece.block) != SsdReadCache::none;
}

Task<Status> BufferedLayer::read_segment(LogicalRun run, DataSpan data) {
  for (std::uint32_t done = 0; done < run.count;) {
    const LogicalRun rest{run.first + done, run.count - done};
    const BlockRun piece = address_.first_block(rest);
    const DataSpan part = data.part(done, piece.count);
    if (!held(piece)) {
      std::uint32_t missing = piece.count;
      while (missing < rest.count) {
        const BlockRun next = address_.first_block({rest.first + missing, rest.count - missing});
        if (held(next)) break;
        missing += next.count;
      }
      const LogicalRun from_disk{rest.first, missing};
      const DataSpan disk_data = data.part(done, missing);
      const Status status = co_await read_disk(from_disk, disk_data);
      if (!ok(status)) co_return status;
      done += missing;
      continue;
    }
    const MemBuffer::Slot slot = buffer_.find(piece.block);
    if (slot != MemBuffer::none) {
      ports_.memory.copy(buffer_.data(slot, piece.first, piece.count), part);
      read_buffer_ += piece.count;
    } else {
      const SsdReadCache::Slot cached = cache_->find(piece.block);
      const Status status = co_await cache_->read(cached, piece.first, piece.count, part);
      if (!ok(status)) {  // the disk has it too
        invalidate(piece.block);
        continue;
      }
      read_flash_ += piece.count;
    }
    done += piece.count;
  }
  co_return Status::ok;
}

/// Sectors of one segment of which neither cache has all. What the write buffer has of them is newer than the disk.
Task<Status> BufferedLayer::read_disk(LogicalRun run, DataSpan data) {
  const std::uint64_t segment = address_.segment_of(run.first);
  auto lock = segment_locks_.shared({LogicalSector(segment), LogicalSector(segment + 1)});
  co_await lock;
  read_media_ += run.count;
  Fill* const fill = cache_ ? begin_fill(run) : nullptr;
  Status status = Status::ok;
  if (fill == nullptr) {
    status = co_await read_media(run, data);
  } else {
    const LogicalRun whole{address_.first_sector(fill->first_block), fill->blocks * address_.block_sectors()};
    const DataSpan whole_data = fill->data.part(0, whole.count);
    status = co_await read_media(whole, whole_data);
    if (ok(status)) {
      ports_.memory.copy(fill->data.part(static_cast<std::uint32_t>(run.first - whole.first), run.count), data);
      fill->state = Fill::State::ready;
      filled_.wake_all();
    } else {
      // A sector beside those that the host wants may be the one that cannot be read.
      fill->state = Fill::State::free;
      status = co_await read_media(run, data);
    }
  }
  if (!ok(status) && delivered(status)) {
    // What cannot be read may be what the write buffer has, newer.
    const std::vector<LogicalRun> needed = not_buffered(run);
    if (needed.size() != 1 || needed.front().count != run.count) status = Status::ok;
    for (std::size_t i = 0; i < needed.size() && ok(status); ++i) {
      const DataSpan part = data.part(static_cast<std::uint32_t>(needed[i].first - run.first), needed[i].count);
      status = co_await read_media(needed[i], part);
    }
  }
  if (ok(status)) copy_buffered(run, data);
  co_return status;
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
