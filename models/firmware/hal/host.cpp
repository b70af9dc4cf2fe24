#include "firmware/hal/host.hpp"

#include <bit>
#include <utility>

#include "firmware/hal/mover.hpp"

namespace tessera::hal {

Host::Host(RegisterFile& registers, Processor& processor, SectorShape shape, std::uint32_t tags)
    : registers_(registers),
      processor_(processor),
      shape_(shape),
      ring_(registers, std::bit_ceil(tags * host_entries_per_tag)),
      slots_(tags),
      piece_entries_(registers, 2 * tags * sizeof(HostPieceEntry)) {
  registers_.write(Register::host_ring, ring_.address());
  registers_.write(Register::host_entries, ring_.entries());
}

void Host::take(FirmwareEntry& firmware) {
  while (const HostEntry* const entry = ring_.take()) {
    TESSERA_CHECK(entry->tag < slots_.size(), "a host command has a tag that the drive does not have");
    Slot& slot = slots_[entry->tag];
    switch (entry->kind) {
      case HostEntry::command: arrived(slot, *entry, firmware); break;
      case HostEntry::arrived: {
        HostReceipt& receipt = *std::exchange(slot.receipt, nullptr);
        receipt.status = static_cast<Status>(entry->status);
        processor_.make_ready(receipt.wait);
        break;
      }
      case HostEntry::crossed: end_piece(slot, *entry); break;
      case HostEntry::aborted: slot.command.aborted = true; break;
      default: model_bug(__FILE__, __LINE__, "the host unit says something of an unknown kind");
    }
  }
}

void Host::arrived(Slot& slot, const HostEntry& entry, FirmwareEntry& firmware) {
  HostCommand& command = slot.command;
  command.op = static_cast<HostOp>(entry.op);
  command.force_unit_access = (entry.flags & host_flags::force_unit_access) != 0;
  command.data_at_host = (entry.flags & host_flags::data_at_host) != 0;
  command.all_zones = (entry.flags & host_flags::all_zones) != 0;
  command.blocks = {HostBlock(entry.first_block), static_cast<std::uint32_t>(entry.blocks)};
  command.buffer.reset(DramAddress(entry.data.address), static_cast<std::uint32_t>(entry.data.sectors), shape_);
  command.tag = entry.tag;
  command.aborted = false;
  processor_.start(firmware.serve(command), entry.tag);
}

void Host::complete(HostCommand& command, Status status) {
  if (command.op == HostOp::read) push_lost(registers_, command.buffer.all());
  registers_.write(Register::host_complete, command.tag | static_cast<std::uint64_t>(status) << 32);
}

void Host::fetch(HostCommand& command) {
  command.data_at_host = false;
  registers_.write(Register::host_fetch, command.tag);
}

void Host::submit(HostReceipt& receipt) {
  processor_.suspend(receipt.wait, LifePhase::link);
  slots_[receipt.command.tag].receipt = &receipt;
  registers_.write(Register::host_notify, receipt.command.tag);
}

void Host::begin(HostPiece& piece) {
  Slot& slot = slots_[piece.command.tag];
  TESSERA_CHECK(slot.pieces[piece.half] == nullptr, "two pieces of a command share half of its buffer");
  slot.pieces[piece.half] = &piece;
  piece.crosses = true;
  piece.status = Status::ok;
  HostPieceEntry* const entry = entry_of(piece);
  *entry = {.tag = piece.command.tag,
            .half = piece.half,
            .first_block = piece.blocks.first.value(),
            .blocks = piece.blocks.count,
            .where = {address_of(piece.where), piece.where.count}};
  if (piece.command.op == HostOp::read) push_lost(registers_, piece.where);
  std::atomic_thread_fence(std::memory_order_release);
  registers_.write(Register::host_begin_piece, registers_.address_of(entry));
}

void Host::submit(HostPiece& piece) {
  processor_.suspend(piece.wait, LifePhase::link);
  registers_.write(Register::host_notify_piece, registers_.address_of(entry_of(piece)));
}

HostPieceEntry* Host::entry_of(const HostPiece& piece) const {
  return reinterpret_cast<HostPieceEntry*>(piece_entries_.data()) + 2 * std::size_t{piece.command.tag} + piece.half;
}

void Host::end_piece(Slot& slot, const HostEntry& entry) {
  HostPiece& piece = *std::exchange(slot.pieces[entry.half], nullptr);
  piece.crosses = false;
  piece.status = static_cast<Status>(entry.status);
  processor_.make_ready(piece.wait);
}

std::uint32_t Host::outstanding() const { return static_cast<std::uint32_t>(registers_.read(Register::host_outstanding)); }

Picoseconds Host::last_activity() const { return Picoseconds(registers_.read(Register::host_last_activity)); }

bool Host::write_waiting(LogicalSector first, LogicalSector end, HostTag in_hand) const {
  registers_.write(Register::host_search_first, first.value());
  registers_.write(Register::host_search_end, end.value());
  registers_.write(Register::host_search_but, in_hand);
  return registers_.read(Register::host_search_found) != 0;
}

}  // namespace tessera::hal
