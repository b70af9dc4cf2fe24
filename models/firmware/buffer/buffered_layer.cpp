#include "firmware/buffer/buffered_layer.hpp"

#include <algorithm>

namespace tessera {

namespace {

std::uint32_t cache_blocks(const std::optional<FlashAreas>& areas, const Ports& ports, const BufferConfig& config) {
  if (!areas) return 0;
  const std::uint32_t sectors = config.block_sectors(ports.memory.shape().sector_bytes);
  return SsdReadCache::capacity(areas->cache(), ports.flash->shape(), sectors);
}

std::optional<FlashAreas> flash_areas(const Ports& ports, const BufferConfig& config) {
  if (ports.flash == nullptr) return std::nullopt;
  return FlashAreas(config, ports.flash->shape(), ports.memory.shape().sector_bytes);
}

Survival newest_groups(const BufferConfig& config) { return config.dumps_tags() ? Survival::dumped : Survival::volatile_memory; }

}  // namespace

BufferedLayer::BufferedLayer(const Ports& ports, const BufferConfig& config, std::uint32_t segment_blocks, std::uint64_t segments,
                             ReadOrder read_order)
    : ports_(ports),
      config_(config),
      address_(config.block_sectors(ports.memory.shape().sector_bytes), segment_blocks),
      segments_(segments),
      read_order_(read_order),
      areas_(flash_areas(ports, config)),
      table_(ports.memory, ports.cpu, address_, config.memory_blocks() + cache_blocks(areas_, ports, config)),
      buffer_(ports.memory, ports.cpu, config, address_, table_),
      segment_locks_(ports.cpu),
      turns_(ports.cpu),
      filled_(ports.cpu),
      activity_(ports.cpu),
      dirty_(segment_blocks) {
  const std::uint32_t image_sectors = address_.segment_sectors();
  if (config.dumps_rewrites()) {
    image_ = &ports.memory.reserve_dumped_buffer(MemoryCategory::merge_buffer, image_sectors, "image of a segment");
    guarded_.emplace(ports.memory, MemoryCategory::metadata, 1, "rewrite under way", Survival::dumped);
  } else {
    own_image_ = ports.memory.reserve_buffer(MemoryCategory::merge_buffer, image_sectors, "image of a segment");
  }
  if (cache_blocks(areas_, ports, config) != 0) {
    cache_.emplace(ports.memory, *ports.flash, address_, table_, areas_->cache());
    fills_.resize(config.fill_buffers);
    for (Fill& fill : fills_)
      fill.data = ports.memory.reserve_buffer(MemoryCategory::read_cache, address_.segment_sectors(), "read cache filling");
  }
  if (config.journals_rewrites())
    rewrites_.emplace(ports, RecordType::rewrite, areas_->rewrites(), config.journal_stripe, config.paired(), newest_groups(config));
  if (config.promised() == BufferDurability::journal)
    journal_.emplace(ports, RecordType::buffered, areas_->journal(), config.journal_stripe, config.paired(), newest_groups(config));
}

Task<Status> BufferedLayer::format() { return format_media(); }

void BufferedLayer::start_background() {
  if (cache_) ports_.cpu.spawn(fill_loop(), "fill_cache");
  ports_.cpu.spawn(watch_idle(), "watch_idle");
  if (config_.keep_free != 0) ports_.cpu.spawn(keep_free(), "keep_free");
}

// --- Writes ---

Task<Status> BufferedLayer::write(LogicalRun run, DataSpan data, WriteOptions options) {
  if (read_only_) co_return Status::read_only;
  for (std::uint32_t done = 0; done < run.count;) {
    const BlockRun piece = address_.first_block({run.first + done, run.count - done});
    const DataSpan part = data.part(done, piece.count);
    const Status status = co_await write_block(piece, part);
    if (!ok(status)) co_return status;
    done += piece.count;
  }
  if (journal_) co_return co_await journal_write(run, data);
  if (!options.durable) co_return Status::ok;
  for (std::uint32_t done = 0; done < run.count;) {
    const LogicalRun piece = address_.first_segment({run.first + done, run.count - done});
    const std::uint64_t segment = address_.segment_of(piece.first);
    const Status status = co_await write_back_segment(segment, MediaClass::host);
    if (!ok(status)) co_return status;
    done += piece.count;
  }
  co_return Status::ok;
}

/// Puts one block's data into the write buffer; where that is full, space is made first.
Task<Status> BufferedLayer::write_block(const BlockRun& piece, DataSpan data) {
  MemBuffer::Slot slot = buffer_.find(piece.block);
  while (slot == MemBuffer::none && buffer_.full()) {
    const Status status = co_await evict_above(buffer_.slots() - 1, MediaClass::dependent);
    if (!ok(status)) co_return status;
    slot = buffer_.find(piece.block);
  }
  writes_ += piece.count;
  if (slot == MemBuffer::none) {
    slot = buffer_.take(piece.block);
  } else {
    absorbed_ += static_cast<std::uint64_t>(__builtin_popcountll(buffer_.valid(slot) & mask_of(piece.first, piece.count)));
  }
  // The data is in the buffer before it is in the journal: the journal's head is a lower bound of its place there.
  buffer_.written(slot, piece.first, piece.count, journal_ ? journal_->head() : sequence_++);
  ports_.memory.copy(data, buffer_.data(slot, piece.first, piece.count));
  invalidate(piece.block);
  activity_.wake_all();
  co_return Status::ok;
}

/// Durability `journal`: in flash before the acknowledgement, in groups that always fit a quarter of the log.
Task<Status> BufferedLayer::journal_write(LogicalRun run, DataSpan data) {
  const PageOrder order(ports_.flash->shape(), config_.paired());
  const std::uint64_t capacity = FlashJournal::capacity(areas_->journal(), order, config_.journal_stripe);
  const auto most = static_cast<std::uint32_t>(std::clamp<std::uint64_t>(capacity / 4, 1, ~std::uint32_t{0}));
  for (std::uint32_t done = 0; done < run.count;) {
    const std::uint32_t count = std::min(run.count - done, most);
    const DataSpan part = data.part(done, count);
    const std::uint64_t sector = run.first.value() + done;
    Status status = co_await journal_->append(sector, part);
    if (ok(status)) done += count;
    if (status == Status::no_space) status = co_await make_journal_room(count);
    if (!ok(status)) co_return status;
  }
  co_return Status::ok;
}

/// What the oldest records are needed for goes to the disk, or is lost where that cannot take it; where all of it is on its way there, its
/// arrival is waited for. `read_only` where the journal is empty and still too small: too few of its flash blocks are left.
Task<Status> BufferedLayer::make_journal_room(std::uint32_t pages) {
  const MemBuffer::Slot aside = buffer_.oldest_set_aside();
  if (aside != MemBuffer::none) {
    const std::uint64_t pinning = address_.segment_of(buffer_.block(aside));
    co_return co_await release_set_aside(pinning);
  }
  const MemBuffer::Slot oldest = buffer_.longest_waiting();
  if (oldest != MemBuffer::none) {
    const std::uint64_t segment = address_.segment_of(buffer_.block(oldest));
    const Status status = co_await write_back_segment(segment, MediaClass::dependent);
    co_return read_only_ ? status : Status::ok;  // else what failed is set aside now, and the caller comes back
  }
  auto turn = turns_.exclusive(SamePlace{});
  co_await turn;
  release_journal();
  co_return buffer_.used() != 0 || journal_->fits(pages) ? Status::ok : Status::read_only;
}

Task<Status> BufferedLayer::flush() {
  // What is in the journal is in flash already.
  const std::uint64_t target = journal_ ? 0 : sequence_;
  const Status status = co_await write_back_until(target);
  if (!ok(status) || !loss_untold_) co_return status;
  loss_untold_ = false;
  co_return failed_;
}

/// What the write buffer holds stays, and so do blocks of which it holds a part.
Task<Status> BufferedLayer::trim(LogicalRun run) {
  if (read_only_) co_return Status::read_only;
  for (std::uint32_t done = 0; done < run.count;) {
    const LogicalRun part = address_.first_segment({run.first + done, run.count - done});
    const std::uint64_t segment = address_.segment_of(part.first);
    auto lock = segment_locks_.exclusive({LogicalSector(segment), LogicalSector(segment + 1)});
    co_await lock;
    std::uint64_t whole = 0;
    for (std::uint32_t at = 0; at < part.count;) {
      const BlockRun piece = address_.first_block({part.first + at, part.count - at});
      if (piece.count == address_.block_sectors() && buffer_.find(piece.block) == MemBuffer::none) {
        invalidate(piece.block);
        whole |= std::uint64_t{1} << address_.index_of(piece.block);
      }
      at += piece.count;
    }
    const Status status = co_await trim_media(segment, whole);
    if (!ok(status)) co_return status;
    done += part.count;
  }
  co_return Status::ok;
}

}  // namespace tessera
