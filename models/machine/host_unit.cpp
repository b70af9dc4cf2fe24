#include "machine/host_unit.hpp"

#include <bit>
#include <utility>

#include "firmware/ports/turn.hpp"
#include "machine/completion_ring.hpp"

namespace tessera {

namespace {

/// What the unit itself carries out for a command: the wait for its data, or for a piece in half 0 or 1.
constexpr std::uint64_t wait_for_data = 0;
constexpr std::uint64_t wait_for_piece = 1;
constexpr std::uint64_t waits_by_tag = 3;

/// Others leave the buffer of a command before them in its slot.
bool has_data(const HostCommand& command) { return moves_data(command.op); }

}  // namespace

HostUnit::HostUnit(Machine& machine, std::uint32_t tags) : machine_(machine), slots_(tags) {}

std::uint64_t HostUnit::read(hal::Register which) {
  using enum hal::Register;
  switch (which) {
    case host_ring: return ring_;
    case host_entries: return entries_;
    case host_outstanding: return machine_.ports().host.outstanding();
    case host_last_activity: return machine_.ports().host.last_activity().value();
    case host_search_first: return search_first_;
    case host_search_end: return search_end_;
    case host_search_but: return search_but_;
    default: return write_waiting() ? 1 : 0;
  }
}

bool HostUnit::write_waiting() const {
  return machine_.ports().host.write_waiting(LogicalSector(search_first_), LogicalSector(search_end_), static_cast<HostTag>(search_but_));
}

void HostUnit::write(hal::Register which, std::uint64_t value) {
  using enum hal::Register;
  switch (which) {
    case host_ring:
      if (value % ring_alignment != 0) throw FirmwareFault("host.ring is not aligned to " + std::to_string(ring_alignment) + " bytes");
      ring_ = value;
      return;
    case host_entries:
      if (const std::uint64_t least = slots_.size() * hal::host_entries_per_tag; !std::has_single_bit(value) || value < least)
        throw FirmwareFault("host.entries is " + std::to_string(value) + "; a power of two of at least " + std::to_string(least) +
                            " may be");
      static_cast<void>(machine_.bytes(ring_, value * sizeof(hal::HostEntry), "the ring of host commands"));
      machine_.entries_lie(Entries::of_host, ring_, sizeof(hal::HostEntry));
      entries_ = value;
      return;
    case host_complete: return complete(value);
    case host_fetch: return machine_.ports().host.fetch(*slot_of(value, "host.fetch").command);
    case host_notify: return leave(slot_of(value, "host.notify"), {this, value * waits_by_tag + wait_for_data});
    case host_begin_piece: return begin_piece(value);
    case host_notify_piece: return notify_piece(value);
    case host_search_first: search_first_ = value; return;
    case host_search_end: search_end_ = value; return;
    default: search_but_ = value;
  }
}

HostUnit::Slot& HostUnit::slot_of(std::uint64_t tag, const char* what) {
  if (tag >= slots_.size() || slots_[tag].command == nullptr)
    throw FirmwareFault(std::string(what) + " names tag " + std::to_string(tag) + ", and no such command is under way");
  return slots_[tag];
}

void HostUnit::put(hal::HostEntry entry) {
  entry.turn = produced_ / entries_ + 1;
  machine_.store(ring_ + produced_ % entries_ * sizeof entry, entry, "an entry of the host's ring");
  ++produced_;
  machine_.raise(hal::interrupt_lines::host);
}

void HostUnit::put_command(const HostCommand& command) {
  hal::HostEntry entry;
  entry.tag = command.tag;
  entry.op = static_cast<std::uint32_t>(command.op);
  entry.flags = (command.force_unit_access ? 1U : 0U) | (command.data_at_host ? 2U : 0U) | (command.all_zones ? 4U : 0U);
  entry.first_block = command.blocks.first.value();
  entry.blocks = command.blocks.count;
  if (has_data(command)) entry.data = {Machine::address_of(command.buffer), command.buffer.sectors()};
  put(entry);
}

Task<void> HostUnit::serve(HostCommand& command) {
  if (entries_ == 0) throw FirmwareFault("a command came, and host.entries has not started the unit");
  Slot& slot = slots_[command.tag];
  slot.command = &command;
  if (has_data(command)) machine_.buffers().hold(command.buffer);
  put_command(command);
  if (machine_.starter() != nullptr) {
    auto work = machine_.starter()->take_started();
    co_await work;
    co_return;
  }
  for (;;) {
    while (slot.errands.empty()) {
      slot.waits = true;
      Turn turn{machine_.ports().cpu, slot.turn, LifePhase::cpu};
      co_await turn;
    }
    const Errand errand = slot.errands.front();
    slot.errands.erase(slot.errands.begin());
    if (errand.worker == nullptr) break;
    auto work = errand.worker->carry_out(errand.number);
    co_await work;
  }
  end(slot);
}

void HostUnit::end(Slot& slot) {
  HostCommand& command = *std::exchange(slot.command, nullptr);
  if (has_data(command)) machine_.buffers().let_go(command.buffer);
  slot.pieces.clear();
  machine_.ports().host.complete(command, slot.status);
}

void HostUnit::aborted(const HostCommand& command) {
  if (slots_[command.tag].command != &command) return;
  hal::HostEntry entry;
  entry.kind = hal::HostEntry::aborted;
  entry.tag = command.tag;
  put(entry);
}

/// The command's task carries it out, now or behind what it has in hand.
void HostUnit::leave(Slot& slot, const Errand& errand) {
  if (machine_.starter() != nullptr) return errand.worker == nullptr ? end(slot) : carry_out_here(*errand.worker, errand.number);
  slot.errands.push_back(errand);
  if (std::exchange(slot.waits, false)) machine_.ports().cpu.make_ready(slot.turn);
}

/// Work that the firmware has spawned beside what its command waits for does not wait for it.
void HostUnit::give(std::uint32_t tag, ErrandWorker& worker, std::uint64_t number) {
  if (machine_.starter() != nullptr) return carry_out_here(worker, number);
  if (tag < slots_.size() && slots_[tag].command != nullptr && slots_[tag].waits) return leave(slots_[tag], {&worker, number});
  machine_.ports().cpu.spawn(in_background(worker, number), "image");
}

Task<void> HostUnit::in_background(ErrandWorker& worker, std::uint64_t number) {
  auto work = worker.carry_out(number);
  co_await work;
}

void HostUnit::carry_out_here(ErrandWorker& worker, std::uint64_t number) {
  for (const std::uint64_t place : std::exchange(ended_, {})) static_cast<void>(here_.take(place));
  const std::uint64_t place = here_.put({});
  here_[place] = here(worker, number, place);
  here_[place].handle().resume();
}

Task<void> HostUnit::here(ErrandWorker& worker, std::uint64_t number, std::uint64_t place) {
  auto work = worker.carry_out(number);
  co_await work;
  ended_.push_back(place);
}

void HostUnit::complete(std::uint64_t value) {
  const std::uint64_t tag = value & 0xffff'ffff;
  const std::uint64_t status = value >> 32;
  Slot& slot = slot_of(tag, "host.complete");
  if (status >= statuses) throw FirmwareFault("host.complete with status " + std::to_string(status));
  slot.status = static_cast<Status>(status);
  leave(slot, {});
}

Task<void> HostUnit::carry_out(std::uint64_t number) {
  const auto tag = static_cast<HostTag>(number / waits_by_tag);
  HostCommand& command = *slots_[tag].command;
  hal::HostEntry entry;
  entry.kind = hal::HostEntry::arrived;
  entry.tag = tag;
  if (number % waits_by_tag == wait_for_data) {
    HostReceipt receipt{command};
    entry.status = static_cast<std::uint32_t>(co_await machine_.ports().host.received(receipt));
  } else {
    entry.kind = hal::HostEntry::crossed;
    entry.half = static_cast<std::uint32_t>(number % waits_by_tag - wait_for_piece);
    HostPiece& piece = slots_[tag].pieces[entry.half];
    Status status = piece.status;
    if (piece.crosses) status = co_await machine_.ports().host.crossed(piece);
    entry.status = static_cast<std::uint32_t>(status);
  }
  put(entry);
}

void HostUnit::begin_piece(std::uint64_t address) {
  const auto entry = machine_.load<hal::HostPieceEntry>(address, "a piece of a host command");
  Slot& slot = slot_of(entry.tag, "host.begin_piece");
  const HostRun all = slot.command->blocks;
  if (entry.half > 1 || entry.blocks == 0 || entry.first_block < all.first.value() || entry.first_block > all.end().value() ||
      entry.blocks > all.end().value() - entry.first_block)
    throw FirmwareFault("host.begin_piece: " + std::to_string(entry.blocks) + " blocks from " + std::to_string(entry.first_block) +
                        " on in half " + std::to_string(entry.half) + " are no piece of command " + std::to_string(entry.tag));
  while (slot.pieces.size() < 2) slot.pieces.push_back({*slot.command, static_cast<std::uint32_t>(slot.pieces.size())});
  HostPiece& piece = slot.pieces[entry.half];
  if (piece.crosses) throw FirmwareFault("host.begin_piece: half " + std::to_string(entry.half) + " of the buffer still crosses");
  piece.blocks = {HostBlock(entry.first_block), static_cast<std::uint32_t>(entry.blocks)};
  piece.where = machine_.data(entry.where.address, entry.where.sectors);
  machine_.ports().host.begin(piece);
}

void HostUnit::notify_piece(std::uint64_t address) {
  const auto entry = machine_.load<hal::HostPieceEntry>(address, "a piece of a host command");
  Slot& slot = slot_of(entry.tag, "host.notify_piece");
  if (entry.half >= slot.pieces.size()) throw FirmwareFault("host.notify_piece names a piece that was not begun");
  leave(slot, {this, entry.tag * waits_by_tag + wait_for_piece + entry.half});
}

}  // namespace tessera
