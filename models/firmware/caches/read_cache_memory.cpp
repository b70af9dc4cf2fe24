// Read cache: which segment has how much of the memory.
#include <algorithm>

#include "firmware/caches/read_cache.hpp"

namespace tessera {

/// Of those that can be given up.
ReadCache::Segment* ReadCache::least_recent() {
  Segment* oldest = nullptr;
  for (Segment& segment : segments_) {
    if (segment.free() && (oldest == nullptr || segment.used < oldest->used)) oldest = &segment;
  }
  return oldest;
}

ReadCache::Segment* ReadCache::without_memory() {
  const auto found = std::ranges::find_if(segments_, [](const Segment& segment) { return segment.held.pieces().empty(); });
  return found == segments_.end() ? nullptr : &*found;
}

/// For a read that no segment reaches: memory that writes can do without, or the segment used least recently; null where all are in use.
ReadCache::Segment* ReadCache::segment_for_stream() {
  if (lender_ != nullptr)
    if (Segment* const fresh = without_memory(); fresh != nullptr && borrow(*fresh)) return fresh;
  Segment* oldest = config_.read_ahead_until == ReadAheadUntil::limit ? without_stream(nullptr) : nullptr;
  if (oldest == nullptr) oldest = least_recent();
  if (oldest != nullptr) shrink(*oldest);
  return oldest;
}

/// Whether a segment's read-ahead, which was given up for `command`, is about to end: with the sector under the head, at the latest. Those
/// of reads of the host, and of other arms, end in their own time.
bool ReadCache::comes_free(LogicalRun command) const {
  const std::size_t arm = arms_.of(command.first);
  return std::ranges::any_of(segments_, [&](const Segment& segment) {
    return segment.steps != 0 && !segment.reading && !is_stream(segment) && arm_of(segment) == arm;
  });
}

/// Adds a part of the write cache's buffer to the segment, if one can be had.
bool ReadCache::borrow(Segment& segment) {
  const auto parts = static_cast<std::uint32_t>(borrowed_.size());
  ports_.cpu.scan(parts);
  for (std::uint32_t tried = 0; tried < parts; ++tried) {
    const std::uint32_t part = next_part_;
    next_part_ = (next_part_ + 1) % parts;
    if (borrowed_[part]) continue;
    const DataSpan piece = lender_->lend(part * config_.segment_sectors, config_.segment_sectors);
    if (piece.count == 0) continue;
    borrowed_[part] = true;
    segment.held.add_piece(piece);
    return true;
  }
  return false;
}

/// A write finds no other room: it takes from the segment used least recently.
bool ReadCache::give_back_one() {
  ports_.cpu.scan(segments_.size());
  Segment* const oldest = least_recent();
  if (oldest == nullptr) return false;
  const DataSpan piece = oldest->held.take_piece();
  borrowed_[piece.first / config_.segment_sectors] = false;
  lender_->take_back(piece);
  ++given_to_writes_;
  return true;
}

/// A stream of one read needs no more than one piece: the others are for those that come next.
void ReadCache::shrink(Segment& segment) {
  while (segment.held.pieces().size() > 1) {
    Segment* const next = without_memory();
    next->held.add_piece(segment.held.take_piece());
    next->used = 0;
  }
}

/// Of those other than `but` that belong to no stream which goes on, the one used least recently.
ReadCache::Segment* ReadCache::without_stream(const Segment* but) {
  constexpr std::uint64_t uses_of_all = 4;  // ours: a stream that none of so many reads per segment belongs to has ended
  Segment* oldest = nullptr;
  for (Segment& segment : segments_) {
    const bool ended = segment.followed == 0 || uses_ - segment.used > uses_of_all * segments_.size();
    if (segment.free() && &segment != but && ended && (oldest == nullptr || segment.used < oldest->used)) oldest = &segment;
  }
  return oldest;
}

/// The stream of the segment goes on beyond its memory: it gets a piece that writes can do without, or one of the segment used least
/// recently of those without a stream. What it holds must not go around its ring.
void ReadCache::widen(Segment& segment) {
  if (config_.segmentation == Segmentation::fixed || !segment.held.in_order(segment.next)) return;
  if (segment.held.capacity() + config_.segment_sectors > config_.largest_segment_sectors) return;
  ports_.cpu.scan(segments_.size());
  if (lender_ == nullptr || !borrow(segment)) {
    Segment* const oldest = without_stream(&segment);
    if (oldest == nullptr) return;
    segment.held.add_piece(oldest->held.take_piece());
  }
  ++widened_;
}

}  // namespace tessera
