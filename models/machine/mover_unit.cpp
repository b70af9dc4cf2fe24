#include "machine/mover_unit.hpp"

#include <utility>

namespace tessera {

std::uint64_t MoverUnit::read(hal::Register which) {
  using enum hal::Register;
  switch (which) {
    case mover_from: return from_;
    case mover_to: return to_;
    case mover_sectors: return sectors_;
    case mover_blocks: return blocks_;
    default: return result_;
  }
}

void MoverUnit::write(hal::Register which, std::uint64_t value) {
  using enum hal::Register;
  switch (which) {
    case mover_from: from_ = value; return;
    case mover_to: to_ = value; return;
    case mover_sectors: sectors_ = value; return;
    case mover_blocks: blocks_ = value; return;
    default: start(value);
  }
}

void MoverUnit::start(std::uint64_t operation) {
  using enum hal::MoverOperation;
  const auto which = static_cast<hal::MoverOperation>(operation);
  switch (which) {
    case acquire: return this->acquire();
    case release: return this->release();
    case first_lost: return find_lost();
    case mark_lost:
    case mark_overwritten: {
      const DataSpan span = named(from_, sectors_);
      const auto mark = which == mark_lost ? &DataBuffer::mark_lost : &DataBuffer::mark_overwritten;
      for (std::uint32_t i = 0; i < span.count; ++i) (span.buffer->*mark)(span.first + i);
      return;
    }
    case copy:
    case merge:
    case clear: break;
    default: throw FirmwareFault("mover.start with operation " + std::to_string(operation));
  }
  static_cast<void>(named(from_, which == merge ? 1 : sectors_));
  if (which != clear) static_cast<void>(named(to_, which == merge ? 1 : sectors_));
  if (!processor_.timed()) return move(which);
  processor_.hold();
  machine_.ports().cpu.spawn(move_in_task(which), "mover");
}

DataSpan MoverUnit::named(std::uint64_t address, std::uint64_t sectors) const {
  const DataSpan span = machine_.data(address, sectors);
  if (span.count == 0) throw FirmwareFault("the mover is given " + std::to_string(sectors) + " sectors at no address");
  return span;
}

/// The time of a DMA is that of the task which asks for it.
Task<void> MoverUnit::move_in_task(hal::MoverOperation operation) {
  move(operation);
  processor_.release(machine_.ports().cpu.now());
  co_return;
}

void MoverUnit::move(hal::MoverOperation operation) {
  MemoryPort& memory = machine_.ports().memory;
  if (operation == hal::MoverOperation::clear) return memory.clear(named(from_, sectors_));
  if (operation == hal::MoverOperation::copy) return memory.copy(named(from_, sectors_), named(to_, sectors_));
  const auto first = static_cast<std::uint32_t>(blocks_);
  const auto count = static_cast<std::uint32_t>(blocks_ >> 32);
  const std::uint32_t all = memory.shape().blocks();
  if (first > all || count > all - first)
    throw FirmwareFault("a merge keeps blocks " + std::to_string(first) + " to " + std::to_string(first + count) + " of " +
                        std::to_string(all));
  memory.merge_blocks(named(to_, 1), named(from_, 1), first, count);
}

void MoverUnit::acquire() {
  if (sectors_ == 0) throw FirmwareFault("the mover is to lend a buffer of no sectors");
  DataBuffer buffer = machine_.ports().memory.acquire(static_cast<std::uint32_t>(sectors_));
  if (buffer.sectors() == 0) {
    result_ = 0;
    return;
  }
  result_ = Machine::address_of(buffer);
  DataBuffer& kept = acquired_[result_] = std::move(buffer);
  machine_.buffers().hold(kept);
}

void MoverUnit::release() {
  const auto at = acquired_.find(from_);
  if (at == acquired_.end()) throw FirmwareFault("the mover is given back a buffer that it has not lent");
  machine_.buffers().let_go(at->second);
  machine_.ports().memory.release(std::move(at->second));
  acquired_.erase(at);
}

void MoverUnit::find_lost() {
  const DataSpan span = named(from_, sectors_);
  result_ = 0;
  while (result_ < span.count && !span.buffer->is_lost(span.first + static_cast<std::uint32_t>(result_))) ++result_;
  if (result_ < span.count && span.buffer->is_overwritten(span.first + static_cast<std::uint32_t>(result_)))
    result_ |= hal::lost_overwritten;
}

}  // namespace tessera
