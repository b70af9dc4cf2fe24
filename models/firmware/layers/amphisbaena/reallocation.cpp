// Section 5.2.3: the sizes of the two buffers follow the workload.
#include <algorithm>

#include "firmware/layers/amphisbaena/amphisbaena_layer.hpp"

namespace tessera::amphisbaena {

/// More ghosts were written again than a chunk has blocks: the high-frequency buffer was too small for blocks with long update periods.
/// Otherwise it gives back what it does not use, as `give_back` says.
Task<Status> Amphisbaena::review(HostTag in_hand) {
  review_due_ = false;
  const std::uint64_t ghost_hits = period_ghost_hits_;
  period_ghost_hits_ = 0;
  Status status = Status::ok;
  ++periods_;
  if (ghost_hits > chunks_.chunk_sectors()) {
    ++periods_short_;
    status = co_await take_chunks(chunks_for(ghost_hits), in_hand);
  } else {
    status = co_await return_chunks(in_hand);
  }
  blocks_.begin_period();
  co_return status;
}

std::uint32_t Amphisbaena::chunks_for(std::uint64_t ghost_hits) const {
  const std::uint64_t blocks = chunks_.chunk_sectors();
  const std::uint64_t added = config_.chunk_rounding == ChunkRounding::floor   ? 0
                              : config_.chunk_rounding == ChunkRounding::round ? blocks / 2
                                                                               : blocks - 1;
  return static_cast<std::uint32_t>(std::min<std::uint64_t>((ghost_hits + added) / blocks, frames_));
}

Task<Status> Amphisbaena::take_chunks(std::uint32_t count, HostTag in_hand) {
  for (; count != 0 && blocks_.frames() < config_.most_hfb(frames_); --count) {
    const Status status = co_await free_frame(in_hand);
    if (!ok(status)) co_return status;
    blocks_.add_frame(chunks_.take_frame(), blocks_.frames() >= config_.least_hfb(frames_));
    roles_.resize(blocks_.slots());
    show_sizes();
    ++taken_;
  }
  co_return Status::ok;
}

Task<Status> Amphisbaena::return_chunks(HostTag in_hand) {
  ports_.cpu.scan(blocks_.frames());
  for (std::uint32_t from = 0; blocks_.frames() > config_.least_hfb(frames_);) {
    const std::optional<std::uint32_t> frame = blocks_.next_to_return(from);
    if (!frame) co_return Status::ok;
    const Status status = co_await return_frame(*frame, in_hand);
    if (!ok(status)) co_return status;
    ++returned_;
    from = *frame + 1;
  }
  co_return Status::ok;
}

/// Its blocks move to their chunks first, as in a cleanup.
Task<Status> Amphisbaena::return_frame(std::uint32_t frame, HostTag in_hand) {
  const std::uint32_t end = (frame + 1) * chunks_.chunk_sectors();
  for (std::uint32_t slot = frame * chunks_.chunk_sectors(); slot < end;) {
    const std::optional<LogicalSector> block = blocks_.block_in(slot);
    if (!block) {
      ++slot;
      continue;
    }
    const LogicalSector leaving = *block;
    const Status status = co_await evict_block(leaving, Leaving::any, in_hand);
    if (!ok(status)) co_return status;
  }
  blocks_.remove_frame(frame);
  chunks_.add_frame(frame);
  roles_.resize(blocks_.slots());
  show_sizes();
  co_return Status::ok;
}

void Amphisbaena::show_sizes() {
  hfb_gauge_.set(blocks_.slots());
  lfb_gauge_.set(std::uint64_t{frames_} * chunks_.chunk_sectors() - blocks_.slots());
}

}  // namespace tessera::amphisbaena
