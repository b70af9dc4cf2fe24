#include "firmware/layers/fluid/slot_log.hpp"

#include "base/check.hpp"

namespace tessera::fluid {

SlotLog::SlotLog(MemoryPort& memory, std::uint32_t slots, std::uint32_t reserve, LogHoles holes)
    : holes_(holes),
      slots_(slots),
      reserve_(reserve),
      positions_(memory, MemoryCategory::metadata, slots, "log positions of the buffer's slots"),
      lists_(memory, MemoryCategory::metadata, slots, 2, "order of the buffer's slots") {
  if (holes_ != LogHoles::reuse) return;
  for (std::uint32_t slot = 0; slot < slots_; ++slot) lists_.push_back(free, slot);
}

std::uint32_t SlotLog::room() const {
  const std::uint64_t kept = taken() + reserve_;
  return kept >= slots_ ? 0 : static_cast<std::uint32_t>(slots_ - kept);
}

SlotLog::Taken SlotLog::take() {
  const std::uint64_t position = head_++;
  const std::uint32_t slot = holes_ == LogHoles::reuse ? lists_.front(free) : static_cast<std::uint32_t>((position - 1) % slots_);
  mark(slot, position);
  return {slot, position};
}

void SlotLog::mark(std::uint32_t slot, std::uint64_t position) {
  TESSERA_CHECK(positions_.read(slot) == unused, "a slot of the log is given out twice");
  if (holes_ == LogHoles::reuse) lists_.remove(slot);
  positions_.write(slot) = position;
  lists_.push_back(in_use, slot);
  ++used_count_;
  move_tail();
}

void SlotLog::release(std::uint32_t slot) {
  positions_.write(slot) = unused;
  lists_.remove(slot);
  if (holes_ == LogHoles::reuse) lists_.push_back(free, slot);
  --used_count_;
  move_tail();
}

/// The tail passes holes.
void SlotLog::move_tail() { tail_ = used_count_ == 0 ? head_ : positions_.read(lists_.front(in_use)); }

std::uint32_t SlotLog::oldest() const { return lists_.front(in_use); }

void SlotLog::restore_head(std::uint64_t last, bool all_known) {
  // Positions that are not known are no more than there are slots.
  head_ = tail_ = last + 1 + (all_known || holes_ == LogHoles::circular ? 0 : slots_);
}

std::uint64_t SlotLog::restore_position(std::uint32_t slot, std::uint64_t above) {
  if (holes_ == LogHoles::reuse) return above + 1;
  const std::uint64_t newest = (head_ - 1) % slots_;  // the slot of position head_
  if (slot == newest) return head_ > above + slots_ ? head_ - slots_ : head_++;
  const std::uint64_t behind = (newest + slots_ - slot) % slots_;
  if (behind < head_) return head_ - behind;
  // Younger than all that can be read: the log has not come round yet.
  const std::uint64_t position = std::uint64_t{slot} + 1;
  head_ = position + 1;
  return position;
}

void SlotLog::restore(std::uint32_t slot, std::uint64_t position) { mark(slot, position); }

}  // namespace tessera::fluid
