#pragma once
// One segment of a read cache: a ring of sectors that holds one stretch of the disk and grows at its end, at the cost of its oldest
// sectors. Its memory is in pieces of equal size, of which it may get more.
#include <algorithm>
#include <cstdint>
#include <vector>

#include "firmware/ports/memory_port.hpp"

namespace tessera {

class ReadSegment {
 public:
  [[nodiscard]] std::uint32_t capacity() const { return capacity_; }
  [[nodiscard]] bool empty() const { return run_.count == 0; }
  [[nodiscard]] LogicalSector first() const { return run_.first; }
  [[nodiscard]] LogicalSector end() const { return run_.end(); }
  /// Whether all of `run` is here.
  [[nodiscard]] bool holds(LogicalRun run) const { return !empty() && run_.first <= run.first && run.end() <= run_.end(); }
  /// Whether `sector` is here, or would be if the segment grew to `end`, or would be the next then.
  [[nodiscard]] bool reaches(LogicalSector sector, LogicalSector end) const { return live_ && run_.first <= sector && sector <= end; }
  [[nodiscard]] bool overlaps(LogicalSector first, LogicalSector end) const { return !empty() && run_.first < end && first < run_.end(); }

  /// Its memory. What it holds stays where the sectors up to `next`, which may be under way, do not go around the ring (in_order()).
  [[nodiscard]] const std::vector<DataSpan>& pieces() const { return pieces_; }
  void add_piece(DataSpan piece) {
    pieces_.push_back(piece);
    capacity_ += piece.count;
  }
  [[nodiscard]] bool in_order(LogicalSector next) const { return slot_ + (next - run_.first) <= capacity_; }
  /// Gives the last piece; the segment holds nothing any more.
  DataSpan take_piece() {
    clear();
    const DataSpan piece = pieces_.back();
    pieces_.pop_back();
    capacity_ -= piece.count;
    return piece;
  }

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
    slot_ = static_cast<std::uint32_t>((slot_ + gone) % capacity_);
    run_ = {sector, static_cast<std::uint32_t>(run_.count - std::min<std::uint64_t>(gone, run_.count))};
  }

  /// Gives up its oldest sectors as far as `end` would not fit otherwise.
  void make_room(LogicalSector end) {
    const std::uint64_t span = end - run_.first;
    if (span <= capacity_) return;
    const auto excess = static_cast<std::uint32_t>(std::min<std::uint64_t>(span - capacity_, run_.count));
    slot_ = (slot_ + excess) % capacity_;
    run_ = {run_.first + excess, run_.count - excess};
  }

  /// Where sectors in front of the first would lie, as far as there is room for `count` of them in one piece.
  [[nodiscard]] DataSpan room_in_front(std::uint32_t count) const {
    const std::uint32_t end = slot_ == 0 ? capacity_ : slot_;
    const DataSpan& piece = pieces_[(end - 1) / pieces_.front().count];
    const std::uint32_t end_in_piece = (end - 1) % piece.count + 1;
    const std::uint32_t room = std::min(count, end_in_piece);
    return piece.part(end_in_piece - room, room);
  }
  /// The last `count` sectors of that room are here now.
  void grow_in_front(std::uint32_t count) {
    run_ = {run_.first - count, run_.count + count};
    slot_ = (slot_ + capacity_ - count) % capacity_;
  }
  /// The sectors behind end() up to `sector` are here now.
  void grow_to(LogicalSector sector) { run_.count = static_cast<std::uint32_t>(sector - run_.first); }

  /// Where `run`, whose room was made, lies: calls f(span of memory, offset in the run) for each part that lies in one piece.
  template <class F>
  void each_part(LogicalRun run, F&& f) const {
    for (std::uint32_t done = 0; done < run.count;) {
      const std::uint32_t count = std::min(run.count - done, unbroken(run.first + done));
      const std::uint32_t at = slot_of(run.first + done);
      const DataSpan& piece = pieces_[at / pieces_.front().count];
      f(piece.part(at % piece.count, count), done);
      done += count;
    }
  }
  /// How many sectors from `first` on lie in one piece.
  [[nodiscard]] std::uint32_t unbroken(LogicalSector first) const {
    const std::uint32_t size = pieces_.front().count;
    return size - slot_of(first) % size;
  }

 private:
  [[nodiscard]] std::uint32_t slot_of(LogicalSector sector) const {
    return static_cast<std::uint32_t>((slot_ + (sector - run_.first)) % capacity_);
  }

  std::vector<DataSpan> pieces_;  // of equal size
  std::uint32_t capacity_ = 0;
  LogicalRun run_;          // what is held
  std::uint32_t slot_ = 0;  // of the ring, in which run_.first lies
  bool live_ = false;       // whether it belongs to a stretch of reads; an empty one may, whose sectors were given up
};

}  // namespace tessera
