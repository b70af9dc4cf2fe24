// Write-backs: what leaves the write buffer, when, and how a rewrite of the disk is guarded against a power cut.
#include <algorithm>

#include "firmware/buffer/buffered_layer.hpp"
#include "firmware/locks/idle_look.hpp"

namespace tessera {

/// The write buffer has more than so many blocks: what the replacement rule picks leaves, unless somebody else has made room meanwhile.
/// What cannot leave is set aside, which is no failure as long as there are others: the caller looks again.
Task<Status> BufferedLayer::evict_above(std::uint32_t blocks, MediaClass priority) {
  auto turn = turns_.exclusive(SamePlace{});
  co_await turn;
  if (buffer_.used() <= blocks) co_return Status::ok;
  const bool last_resort = buffer_.only_set_aside();
  if (last_resort) buffer_.try_again();
  buffer_.choose_victims(victims_);
  const std::uint64_t segment = address_.segment_of(buffer_.block(victims_.front()));
  if (last_resort) co_return co_await destage_or_lose(segment, priority);
  const Status status = co_await destage(segment, priority);
  co_return read_only_ ? status : Status::ok;
}

/// The journal needs the room of a block that is set aside, if it still is.
Task<Status> BufferedLayer::release_set_aside(std::uint64_t segment) {
  auto turn = turns_.exclusive(SamePlace{});
  co_await turn;
  const MemBuffer::Slot oldest = buffer_.oldest_set_aside();
  if (oldest == MemBuffer::none || address_.segment_of(buffer_.block(oldest)) != segment) co_return Status::ok;
  buffer_.blocks_of(segment, victims_);
  co_return co_await destage_or_lose(segment, MediaClass::dependent);
}

Task<Status> BufferedLayer::write_back_segment(std::uint64_t segment, MediaClass priority) {
  auto turn = turns_.exclusive(SamePlace{});
  co_await turn;
  buffer_.blocks_of(segment, victims_);
  if (victims_.empty()) co_return Status::ok;
  co_return co_await destage(segment, priority);
}

/// Writes back every segment that holds a write older than `sequence`; one that fails keeps none behind it from being written.
Task<Status> BufferedLayer::write_back_until(std::uint64_t sequence) {
  if (buffer_.oldest(sequence) < sequence) buffer_.try_again();
  while (buffer_.oldest(sequence) < sequence) {
    auto turn = turns_.exclusive(SamePlace{});
    co_await turn;
    if (read_only_) co_return Status::read_only;
    const MemBuffer::Slot oldest = buffer_.longest_waiting();
    const bool all_tried = buffer_.set_aside() != 0 && (oldest == MemBuffer::none || buffer_.since(oldest) >= sequence);
    if (all_tried && buffer_.oldest(sequence) < sequence) co_return failed_;
    if (oldest == MemBuffer::none) continue;
    const std::uint64_t segment = address_.segment_of(buffer_.block(oldest));
    buffer_.blocks_of(segment, victims_);
    static_cast<void>(co_await destage(segment, MediaClass::dependent));  // what failed is set aside
  }
  co_return Status::ok;
}

/// Writes `victims_`, blocks of `segment`, back. The caller has the turn.
Task<Status> BufferedLayer::destage(std::uint64_t segment, MediaClass priority) {
  const Picoseconds begin = ports_.cpu.now();
  auto lock = segment_locks_.exclusive({LogicalSector(segment), LogicalSector(segment + 1)});
  co_await lock;
  // A TRIM may have had the lock before.
  std::erase_if(victims_, [&](MemBuffer::Slot slot) { return !buffer_.holds(slot, segment); });
  if (victims_.empty()) co_return Status::ok;

  std::ranges::fill(dirty_, SectorMask{0});
  std::uint64_t sectors = 0;
  for (const MemBuffer::Slot slot : victims_) {
    const std::uint32_t index = address_.index_of(buffer_.block(slot));
    const SectorMask valid = buffer_.valid(slot);
    dirty_[index] = valid;
    sectors += static_cast<std::uint64_t>(__builtin_popcountll(valid));
    for_each_run(valid, [&](std::uint32_t first, std::uint32_t count) {
      ports_.memory.copy(buffer_.data(slot, first, count), image_->part(index * address_.block_sectors() + first, count));
    });
  }
  buffer_.begin_write_back(victims_);
  ports_.cpu.event({"clean", FirmwareEvent::Edge::begin, segment, sectors});
  const Destage order{segment, dirty_, image_->all(), priority};
  const Status status = co_await write_back(order);
  ports_.cpu.event({"clean", FirmwareEvent::Edge::end, segment, sectors});
  if (guarded_) guarded_->write(0).count = 0;
  if (!ok(status)) {
    failed_ = status;
    buffer_.abandon_write_back(victims_);
    co_return status;
  }
  buffer_.end_write_back(victims_);
  release_journal();
  victims_taken_.record(victims_.size());
  sectors_taken_.record(sectors);
  cleaning_.record(ports_.cpu.now() - begin);
  co_return Status::ok;
}

/// Where a sector cannot be written the blocks leave all the same if it is lost alone: somebody needs their room.
Task<Status> BufferedLayer::destage_or_lose(std::uint64_t segment, MediaClass priority) {
  const Status status = co_await destage(segment, priority);
  if (ok(status) || !loses_alone(status)) co_return status;
  const std::uint32_t before = buffer_.used();
  buffer_.give_up(victims_);
  given_up_ += before - buffer_.used();
  loss_untold_ = true;
  release_journal();
  co_return Status::ok;
}

/// Records of what is on the disk are no longer needed; those that boot has yet to replay are.
void BufferedLayer::release_journal() {
  if (journal_) journal_->release_before(std::min(replayed_to_, buffer_.oldest(journal_->head())));
}

Task<Status> BufferedLayer::guard(std::uint64_t first, DataSpan image) {
  if (guarded_) guarded_->write(0) = {first, image.first, image.count};
  if (!rewrites_) co_return Status::ok;
  rewrites_->release_before(rewrites_->head());  // the rewrite before is on the disk
  const Status status = co_await rewrites_->append(first, image);
  // Too few flash blocks are left for an image: the disk takes no more writes.
  if (status != Status::no_space) co_return status;
  read_only_ = true;
  co_return Status::read_only;
}

bool BufferedLayer::host_idle() const {
  return ports_.host.outstanding() == 0 && ports_.cpu.now() >= ports_.host.last_activity() + config_.idle_after;
}

/// After what came to nothing.
Task<void> BufferedLayer::look_later() {
  const Picoseconds later = ports_.cpu.now() + std::max(config_.idle_after, shortest_idle_look);
  co_await ports_.cpu.sleep_until(later);
}

/// Makes room before a write has to wait for it.
Task<void> BufferedLayer::keep_free() {
  const std::uint32_t most = config_.most_blocks_kept();
  while (!read_only_) {
    if (buffer_.used() <= most || buffer_.only_set_aside()) {
      co_await activity_.change(LifePhase::cpu_wait);
      continue;
    }
    const Status status = co_await evict_above(most, MediaClass::background);
    if (!ok(status)) co_await look_later();
  }
}

/// Empties the buffer once the host has been idle for long enough.
Task<void> BufferedLayer::watch_idle() {
  while (!read_only_) {
    if (buffer_.only_set_aside()) {
      co_await activity_.change(LifePhase::cpu_wait);
      continue;
    }
    if (!host_idle()) {
      const Picoseconds since = ports_.host.outstanding() == 0 ? ports_.host.last_activity() : ports_.cpu.now();
      const Picoseconds look_again = next_idle_look(since, since, config_.idle_after);
      co_await ports_.cpu.sleep_until(look_again);
      continue;
    }
    const MemBuffer::Slot oldest = buffer_.longest_waiting();
    if (oldest == MemBuffer::none) {  // on its way by a host command
      co_await look_later();
      continue;
    }
    const std::uint64_t segment = address_.segment_of(buffer_.block(oldest));
    const Status status = co_await write_back_segment(segment, MediaClass::background);
    if (!ok(status)) co_await look_later();
  }
}

}  // namespace tessera
