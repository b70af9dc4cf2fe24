#pragma once
// One segment of a read cache: a ring of sectors that holds one stretch of the disk and grows at its end, at the cost of its oldest
// sectors.
#include <algorithm>
#include <cstdint>

#include "firmware/ports/memory_port.hpp"

namespace tessera {

class ReadSegment {
 public:
  explicit ReadSegment(DataBuffer&& buffer) : buffer_(std::move(buffer)) {}

  [[nodiscard]] std::uint32_t capacity() const { return buffer_.sectors(); }
  [[nodiscard]] bool empty() const { return run_.count == 0; }
  [[nodiscard]] const DataBuffer& buffer() const { return buffer_; }
  [[nodiscard]] LogicalSector first() const { return run_.first; }
  [[nodiscard]] LogicalSector end() const { return run_.end(); }
  /// Whether all of `run` is here.
  [[nodiscard]] bool holds(LogicalRun run) const { return !empty() && run_.first <= run.first && run.end() <= run_.end(); }
  /// Whether `sector` is here, or would be if the segment grew to `end`, or would be the next then.
  [[nodiscard]] bool reaches(LogicalSector sector, LogicalSector end) const { return live_ && run_.first <= sector && sector <= end; }
  [[nodiscard]] bool overlaps(LogicalSector first, LogicalSector end) const { return !empty() && run_.first < end && first < run_.end(); }

  /// Holds nothing, and takes in `first` next.
  void restart(LogicalSector first) {
    run_ = {first, 0};
    slot_ = 0;
    live_ = true;
  }

  /// Holds nothing, and expects nothing.
  void clear() {
    restart(run_.first);
    live_ = false;
  }

  /// Gives up the sectors before `sector`, which is not before the first. A later read of them is a miss.
  void give_up_before(LogicalSector sector) {
    const std::uint64_t gone = sector - run_.first;
    slot_ = static_cast<std::uint32_t>((slot_ + gone) % capacity());
    run_ = {sector, static_cast<std::uint32_t>(run_.count - std::min<std::uint64_t>(gone, run_.count))};
  }

  /// Gives up its oldest sectors as far as `end` would not fit otherwise.
  void make_room(LogicalSector end) {
    const std::uint64_t span = end - run_.first;
    if (span <= capacity()) return;
    const auto excess = static_cast<std::uint32_t>(std::min<std::uint64_t>(span - capacity(), run_.count));
    slot_ = (slot_ + excess) % capacity();
    run_ = {run_.first + excess, run_.count - excess};
  }

  /// Where sectors in front of the first would lie, as far as there is room for `count` of them in one piece.
  [[nodiscard]] DataSpan room_in_front(std::uint32_t count) {
    const std::uint32_t end = slot_ == 0 ? capacity() : slot_;
    const std::uint32_t room = std::min(count, end);
    return buffer_.part(end - room, room);
  }
  /// The last `count` sectors of that room are here now.
  void grow_in_front(std::uint32_t count) {
    run_ = {run_.first - count, run_.count + count};
    slot_ = (slot_ + capacity() - count) % capacity();
  }
  /// The sectors behind end() up to `sector` are here now.
  void grow_to(LogicalSector sector) { run_.count = static_cast<std::uint32_t>(sector - run_.first); }

  /// Where `run`, whose room was made, lies: calls f(span of the segment, offset in the run) for the one or two pieces.
  template <class F>
  void each_piece(LogicalRun run, F&& f) {
    const auto from = static_cast<std::uint32_t>((slot_ + (run.first - run_.first)) % capacity());
    const std::uint32_t head = std::min(run.count, capacity() - from);
    if (head > 0) f(buffer_.part(from, head), std::uint32_t{0});
    if (head < run.count) f(buffer_.part(0, run.count - head), head);
  }
  /// How many sectors from `first` on lie in one piece.
  [[nodiscard]] std::uint32_t unbroken(LogicalSector first) const {
    return capacity() - static_cast<std::uint32_t>((slot_ + (first - run_.first)) % capacity());
  }

 private:
  DataBuffer buffer_;
  LogicalRun run_;          // what is held
  std::uint32_t slot_ = 0;  // of the buffer, in which run_.first lies
  bool live_ = false;       // whether it belongs to a stretch of reads; an empty one may, whose sectors were given up
};

}  // namespace tessera
