#include "firmware/layers/amphisbaena/chunk_collection.hpp"

#include <algorithm>

namespace tessera::amphisbaena {

void ChunkCollection::begin(std::uint32_t zone, HostTag in_hand) {
  zone_ = zone;
  in_hand_ = in_hand;
  parts_.clear();
  offsets_.clear();
  slots_.clear();
  next_ = part_ = noted_ = 0;
  aborted_ = aborted_by_update_ = false;
  for (std::uint32_t frame = chunks_.first_of(zone); frame != ChunkSpace::none; frame = chunks_.after(frame))
    parts_.push_back({frame, chunks_.chunk_in(frame) * chunks_.chunk_sectors(), 0});
  std::ranges::sort(parts_, {}, &Part::first_offset);
  for (Part& part : parts_) {
    chunks_.for_each_offset(part.frame, [&](std::uint32_t offset) {
      offsets_.push_back(offset);
      slots_.push_back(chunks_.slot_in(part.frame, offset));
    });
    part.end = offsets_.size();
  }
}

/// A positioning for each chunk: its victims are read in one chain.
Task<Status> ChunkCollection::fetch(std::uint32_t first, DataSpan into) {
  while (next_ < offsets_.size() && offsets_[next_] < first + into.count) {
    const std::size_t chunk_end = parts_[part_].end;
    std::size_t end = next_;
    while (end < chunk_end && offsets_[end] < first + into.count) ++end;
    const Status status = co_await read_victims(end, first, into);
    if (!ok(status)) co_return status;
    if (next_ < chunk_end) co_return Status::ok;  // the rest of the chunk belongs to the next round
    if (part_ + 1 < parts_.size() && write_waits()) stop_behind(part_);
    ++part_;
  }
  co_return Status::ok;
}

Task<Status> ChunkCollection::read_victims(std::size_t end, std::uint32_t first, DataSpan into) {
  runs_.clear();
  for (; next_ < end; ++next_) {
    const std::uint32_t at = offsets_[next_] - first;
    if (!runs_.empty() && slots_[next_] == runs_.back().first + runs_.back().data.count)
      ++runs_.back().data.count;
    else
      runs_.push_back({slots_[next_], into.part(at, 1)});
  }
  const std::span<const SlotRun> runs(runs_);
  co_return co_await buffer_.read(runs, MediaClass::dependent);
}

bool ChunkCollection::write_waits() const {
  switch (scope_) {
    case AbortScope::victim: return blocked_.touch(zone_, offsets_);
    case AbortScope::zone: return host_.write_waiting(store_.sector_at(zone_, 0), store_.sector_at(zone_ + 1, 0), in_hand_);
    case AbortScope::off: break;
  }
  return false;
}

void ChunkCollection::stop_behind(std::size_t part) {
  aborted_ = true;
  aborted_by_update_ = blocked_.touch(zone_, offsets_);
  parts_.resize(part + 1);
  offsets_.resize(parts_.back().end);
  slots_.resize(parts_.back().end);
}

std::span<const std::byte> ChunkCollection::note() {
  until_ = buffer_.newest_sequence();
  stale_.begin_note();
  stale_.fill_note();
  add_frames();
  return stale_.note();
}

bool ChunkCollection::continue_note() {
  if (noted_ == parts_.size()) return false;
  stale_.begin_note();
  add_frames();
  return true;
}

void ChunkCollection::add_frames() {
  while (noted_ < parts_.size() && stale_.add_to_note(records_of(parts_[noted_]))) ++noted_;
}

void ChunkCollection::settle() {
  for (const Part& part : parts_) stale_.settle(records_of(part));
}

}  // namespace tessera::amphisbaena
