// Boot after a power cut. The records of the slots say what is where; roles and sizes are hints that start anew.
#include <algorithm>

#include "firmware/layers/amphisbaena/amphisbaena_layer.hpp"

namespace tessera::amphisbaena {

/// The parts may have got other sizes than they may have: frames whose blocks were all trimmed are back with them.
Task<Status> Amphisbaena::recover() {
  Status status = co_await ZoneBufferLayer::recover();
  if (!ok(status)) co_return status;
  const std::uint32_t least = config_.least_hfb(frames_);
  if (blocks_.frames() < least) status = co_await take_chunks(least - blocks_.frames(), {});
  for (std::uint32_t frame = 0; ok(status) && blocks_.frames() > config_.most_hfb(frames_); ++frame)
    if (blocks_.owns(frame * chunks_.chunk_sectors())) status = co_await return_frame(frame, {});
  show_sizes();
  co_return status;
}

void Amphisbaena::restore_space(std::vector<FoundSlot>& found, std::span<const std::uint32_t>) {
  buffer_.skip_sequences(stale_->newest());
  std::erase_if(found, [this](const FoundSlot& slot) { return !stale_->counts(slot.slot, slot.record.sequence); });
}

/// As the newest record in its frame says, where that is of a chunk that has the block at this place; else it may be either.
std::uint64_t Amphisbaena::restore_unreadable(SlotOwners::Owner slot, const std::vector<FoundSlot>& found) {
  const auto chunk_of = [this](LogicalSector block) { return std::pair(store_.zone_of(block), chunks_.chunk_of(store_.offset_of(block))); };
  const std::uint32_t frame = chunks_.frame_of_slot(slot.slot);
  const FoundSlot* newest = nullptr;
  for (const FoundSlot& other : found) {
    if (chunks_.frame_of_slot(other.slot) != frame || other.record.sequence <= store_.watermark(store_.zone_of(other.record.sector)))
      continue;
    if (newest == nullptr || other.record.sequence > newest->record.sequence) newest = &other;
  }
  if (newest == nullptr || newest->record.tag == high_frequency) return high_frequency;
  const bool at_its_place = chunks_.slot_in(frame, store_.offset_of(slot.sector)) == slot.slot;
  return at_its_place && chunk_of(newest->record.sector) == chunk_of(slot.sector) ? low_frequency : high_frequency;
}

/// The newest record of a frame says whose it is, but a chunk has one frame: others with records of it are of the high-frequency buffer,
/// which takes any block. It has to, as an earlier boot may have had to guess whose a frame was that a record says more of now. What a
/// chunk's frame has no place for is of trimmed sectors.
Task<Status> Amphisbaena::restored(std::vector<FoundSlot>& found, std::span<const std::uint32_t> unreadable) {
  std::vector<bool> known(frames_);
  std::vector<std::uint32_t> adopted;
  std::vector<FoundSlot> unfit;
  const std::uint32_t least = config_.least_hfb(frames_);
  for (auto newest = found.rbegin(); newest != found.rend(); ++newest) {
    const FoundSlot& slot = *newest;
    if (!owners_.in_use(slot.slot)) continue;
    const std::uint32_t frame = chunks_.frame_of_slot(slot.slot);
    const std::uint32_t zone = store_.zone_of(slot.record.sector);
    const std::uint32_t offset = store_.offset_of(slot.record.sector);
    const std::uint32_t chunk = chunks_.chunk_of(offset);
    if (!known[frame] && slot.record.tag == low_frequency && chunks_.find(zone, chunk) == ChunkSpace::none) {
      chunks_.add_frame(frame);
      chunks_.assign(frame, zone, chunk);
    } else if (!known[frame]) {
      blocks_.adopt_frame(frame, blocks_.frames() >= least);
      adopted.push_back(frame);
    }
    known[frame] = true;
    const bool in_chunk = chunks_.find(zone, chunk) == frame && chunks_.slot_in(frame, offset) == slot.slot;
    if (!in_chunk && !blocks_.owns(slot.slot)) unfit.push_back(slot);
  }
  std::ranges::sort(unfit, {}, [](const FoundSlot& slot) { return slot.record.sector; });
  SlotOwners::Slots slots;
  for (const FoundSlot& slot : unfit) slots.push_back(slot.slot);
  const std::span<const std::uint32_t> leaving(slots);
  const Status status = co_await owners_.remove(leaving);
  if (!ok(status)) co_return status;
  for (const FoundSlot& slot : found) {
    if (!owners_.in_use(slot.slot)) {
      stale_->add(slot.slot);
    } else if (!blocks_.owns(slot.slot)) {
      chunks_.put(slot.slot);
    } else {
      blocks_.assign(slot.slot, slot.record.sector);
      roles_.restore(slot.record.sector);
    }
  }
  for (const std::uint32_t slot : unreadable)
    if (!owners_.in_use(slot)) stale_->add(slot);
  stale_->end_boot();
  for (const std::uint32_t frame : adopted) blocks_.release_rest(frame);
  for (std::uint32_t frame = 0; frame < frames_; ++frame) {
    if (known[frame]) continue;
    if (blocks_.frames() < least)
      blocks_.add_frame(frame, false);
    else
      chunks_.add_frame(frame);
  }
  roles_.resize(blocks_.slots());
  co_return Status::ok;
}

}  // namespace tessera::amphisbaena
