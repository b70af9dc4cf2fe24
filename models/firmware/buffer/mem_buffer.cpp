#include "firmware/buffer/mem_buffer.hpp"

#include <algorithm>

namespace tessera {

MemBuffer::MemBuffer(MemoryPort& memory, CpuPort& cpu, const BufferConfig& config, const BlockAddress& address, SegmentTable& table)
    : cpu_(cpu),
      address_(address),
      table_(table),
      replacement_(config.replacement),
      slots_(config.memory_blocks()),
      window_(std::max<std::uint32_t>(1, static_cast<std::uint32_t>(std::uint64_t{slots_} * config.lwa_window / 100))),
      directory_(memory, MemoryCategory::metadata, slots_, "write buffer directory",
                 config.promised() == BufferDurability::plp ? Survival::dumped : Survival::volatile_memory),
      since_copy_(slots_),
      lists_(memory, MemoryCategory::metadata, slots_, lists, "write buffer lists"),
      ages_(memory, MemoryCategory::metadata, slots_, 1, "write buffer ages"),
      segments_(memory, MemoryCategory::metadata, replacement_ == Replacement::segment_lru ? table.capacity() : 0, 1, "segments by use"),
      buffered_(memory, MemoryCategory::metadata, replacement_ == Replacement::segment_lru ? table.capacity() : 0, "buffered blocks"),
      buffer_(&own_buffer_),
      used_gauge_(cpu, {"buffer.used_blocks", "1", "blocks that the write buffer holds"}, 0) {
  const std::uint32_t sectors = slots_ * address.block_sectors();
  if (config.promised() == BufferDurability::plp)
    buffer_ = &memory.reserve_dumped_buffer(MemoryCategory::write_cache, sectors, "write buffer");
  else
    own_buffer_ = memory.reserve_buffer(MemoryCategory::write_cache, sectors, "write buffer");
  for (Slot slot = 0; slot < slots_; ++slot)
    if (directory_.peek(slot).state == State::free) lists_.push_back(free_list, slot);
}

MemBuffer::Slot MemBuffer::find(std::uint64_t block) const {
  const SegmentTable::Node node = table_.find(address_.segment_of(block));
  return node == SegmentTable::none ? none : table_.in_memory(node, address_.index_of(block));
}

MemBuffer::Slot MemBuffer::take(std::uint64_t block) {
  const Slot slot = lists_.front(free_list);
  TESSERA_CHECK(slot != none, "a block was put into a full write buffer");
  lists_.remove(slot);
  Entry& entry = directory_.write(slot);
  entry = {};
  entry.block = block;
  enter(slot);
  return slot;
}

/// Makes the slot known: in the segment's map and counted.
void MemBuffer::enter(Slot slot) {
  const std::uint64_t block = directory_.peek(slot).block;
  const SegmentTable::Node node = table_.obtain(address_.segment_of(block));
  table_.set_in_memory(node, address_.index_of(block), slot);
  peak_ = std::max(peak_, ++used_);
  used_gauge_.set(used_);
  if (replacement_ == Replacement::segment_lru && ++buffered_.write(node) == 1) segments_.push_back(0, node);
}

void MemBuffer::written(Slot slot, std::uint32_t first, std::uint32_t count, std::uint64_t sequence) {
  Entry& entry = directory_.write(slot);
  entry.valid |= mask_of(first, count);
  entry.on_disk &= ~mask_of(first, count);
  entry.newest = sequence;
  switch (entry.state) {
    case State::free:
      entry.state = State::dirty;
      entry.since = sequence;
      enter_ages(slot);
      break;
    case State::aside: enter_state(entry, State::dirty); [[fallthrough]];
    case State::dirty: leave_recency(slot); break;
    case State::writing:
      entry.state = State::renewed;
      since_copy_[slot] = {0, sequence};
      [[fallthrough]];
    case State::renewed:
      since_copy_[slot].written |= mask_of(first, count);
      leave_recency(slot);
      break;
  }
  enter_recency(slot);
  if (replacement_ == Replacement::segment_lru) use_segment(entry.block);
}

void MemBuffer::enter_state(Entry& entry, State state) {
  aside_ -= entry.state == State::aside ? 1 : 0;
  aside_ += state == State::aside ? 1 : 0;
  entry.state = state;
}

void MemBuffer::use_segment(std::uint64_t block) { segments_.move_to_back(0, table_.find(address_.segment_of(block))); }

void MemBuffer::leave(Slot slot) {
  Entry& entry = directory_.write(slot);
  const SegmentTable::Node node = table_.find(address_.segment_of(entry.block));
  if (replacement_ == Replacement::segment_lru && --buffered_.write(node) == 0) segments_.remove(node);
  table_.set_in_memory(node, address_.index_of(entry.block), SegmentTable::none);
  leave_recency(slot);
  ages_.remove(slot);
  enter_state(entry, State::free);
  lists_.push_back(free_list, slot);
  used_gauge_.set(--used_);
}

// --- Recency, with the window of the least write amplification rule kept as a mark on each block in it ---

void MemBuffer::enter_recency(Slot slot) {
  lists_.push_back(recency, slot);
  if (window_used_ == window_) return;
  directory_.peek(slot).in_window = 1;
  window_end_ = slot;
  ++window_used_;
}

void MemBuffer::leave_recency(Slot slot) {
  const bool in_window = directory_.peek(slot).in_window != 0;
  if (in_window && slot == window_end_) window_end_ = lists_.before(slot);
  lists_.remove(slot);
  if (!in_window) return;
  directory_.peek(slot).in_window = 0;
  --window_used_;
  const Slot next = window_end_ == none ? lists_.front(recency) : lists_.after(window_end_);
  if (next == none) return;
  directory_.peek(next).in_window = 1;
  window_end_ = next;
  ++window_used_;
}

MemBuffer::Slot MemBuffer::least_recent() const {
  Slot slot = lists_.front(recency);
  while (slot != none && !waits(slot)) slot = lists_.after(slot);
  TESSERA_CHECK(slot != none, "the write buffer has no block to write back");
  return slot;
}

// --- Victims ---

void MemBuffer::choose_victims(std::vector<Slot>& victims) const {
  victims.clear();
  if (replacement_ == Replacement::segment_lru) {
    for (SegmentTable::Node node = segments_.front(0); victims.empty(); node = segments_.after(node)) {
      TESSERA_CHECK(node != DramLists::none, "the write buffer has no segment to write back");
      blocks_of(table_.segment(node), victims);
      if (aside_ != 0 && std::ranges::none_of(victims, [this](Slot slot) { return waits(slot); })) victims.clear();
    }
    return;
  }
  const Slot tail = least_recent();
  if (replacement_ == Replacement::block_lru) {
    victims.push_back(tail);
    return;
  }
  cpu_.scan(window_used_);
  blocks_of(address_.segment_of(directory_.read(tail).block), victims);
  std::erase_if(victims, [&](Slot slot) { return slot != tail && directory_.read(slot).in_window == 0; });
}

void MemBuffer::blocks_of(std::uint64_t segment, std::vector<Slot>& blocks) const {
  blocks.clear();
  const SegmentTable::Node node = table_.find(segment);
  if (node == SegmentTable::none) return;
  for (std::uint32_t index = 0; index < address_.segment_blocks(); ++index) {
    const Slot slot = table_.in_memory(node, index);
    if (settled(slot)) blocks.push_back(slot);
  }
}

void MemBuffer::begin_write_back(std::span<const Slot> blocks) {
  for (const Slot slot : blocks) enter_state(directory_.write(slot), State::writing);
}

void MemBuffer::end_write_back(std::span<const Slot> blocks) {
  for (const Slot slot : blocks) {
    Entry& entry = directory_.write(slot);
    if (entry.state == State::writing) {
      leave(slot);
      continue;
    }
    entry.state = State::dirty;
    entry.since = since_copy_[slot].sequence;
    entry.on_disk = entry.valid & ~since_copy_[slot].written;
    ages_.remove(slot);
    enter_ages(slot);
  }
}

void MemBuffer::abandon_write_back(std::span<const Slot> blocks) {
  for (const Slot slot : blocks) {
    Entry& entry = directory_.write(slot);
    entry.on_disk = 0;
    enter_state(entry, entry.state == State::renewed ? State::dirty : State::aside);
  }
}

void MemBuffer::try_again() {
  if (aside_ == 0) return;
  for (Slot slot = ages_.front(0); slot != none; slot = ages_.after(slot)) {
    Entry& entry = directory_.write(slot);
    if (entry.state == State::aside) enter_state(entry, State::dirty);
  }
}

void MemBuffer::give_up(std::span<const Slot> blocks) {
  for (const Slot slot : blocks)
    if (directory_.read(slot).state == State::aside) leave(slot);
}

// --- Ages ---

/// Sequence numbers mostly come in order, so the place is at the end or close to it.
void MemBuffer::enter_ages(Slot slot) {
  const std::uint64_t since = directory_.peek(slot).since;
  Slot place = ages_.back(0);
  while (place != none && directory_.read(place).since > since) place = ages_.before(place);
  if (place == none)
    ages_.push_front(0, slot);
  else
    ages_.insert_after(place, slot);
}

MemBuffer::Slot MemBuffer::longest_waiting() const {
  Slot slot = ages_.front(0);
  while (slot != none && !waits(slot)) slot = ages_.after(slot);
  return slot;
}

MemBuffer::Slot MemBuffer::oldest_set_aside() const {
  if (aside_ == 0) return none;
  const Slot slot = ages_.front(0);
  return directory_.read(slot).state == State::aside ? slot : none;
}

std::uint64_t MemBuffer::oldest(std::uint64_t otherwise) const {
  const Slot slot = ages_.front(0);
  return slot == none ? otherwise : directory_.read(slot).since;
}

// --- Boot ---

std::uint64_t MemBuffer::restore() {
  std::vector<Slot> found;
  std::uint64_t next = 1;
  for (Slot slot = 0; slot < slots_; ++slot) {
    Entry& entry = directory_.write(slot);
    if (entry.state == State::free) continue;
    entry.state = State::dirty;
    entry.in_window = 0;
    next = std::max(next, entry.newest + 1);
    for (std::uint32_t i = 0; i < address_.block_sectors(); ++i) {
      if ((entry.valid & mask_of(i, 1)) == 0 || !any_lost(data(slot, i, 1))) continue;
      if ((entry.on_disk & mask_of(i, 1)) != 0)
        entry.valid &= ~mask_of(i, 1);
      else
        ++lost_at_boot_;
    }
    if (entry.valid == 0) {
      entry = {};
      lists_.push_back(free_list, slot);
      continue;
    }
    found.push_back(slot);
  }
  std::ranges::sort(found, {}, [this](Slot slot) { return directory_.peek(slot).newest; });
  for (const Slot slot : found) {
    enter(slot);
    enter_recency(slot);
    if (replacement_ == Replacement::segment_lru) use_segment(directory_.peek(slot).block);
  }
  std::ranges::sort(found, {}, [this](Slot slot) { return directory_.peek(slot).since; });
  for (const Slot slot : found) ages_.push_back(0, slot);
  return next;
}

Bytes MemBuffer::metadata_bytes() const {
  return Bytes(directory_.size() * sizeof(Entry) + buffered_.size() * sizeof(std::uint32_t)) + lists_.bytes() + ages_.bytes() +
         segments_.bytes();
}

}  // namespace tessera
