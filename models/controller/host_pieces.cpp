// The pieces of commands that stream: each crosses link, bus and DRAM by itself, while the firmware works for the other half of the buffer.
#include <algorithm>
#include <cstring>
#include <utility>

#include "controller/host_channel.hpp"

namespace tessera {

void HostChannel::begin(HostPiece& piece) {
  Slot& slot = slots_[piece.command.tag];
  TESSERA_CHECK(slot.pieces[piece.half] == nullptr, "two pieces of a command share half of its buffer");
  slot.pieces[piece.half] = &piece;
  piece.crosses = true;
  piece.awaited = false;
  piece.status = Status::ok;
  if (halted_) return;
  // A task on another core sees the stream's progress before its own clock has come to it: pieces are told in the order in which they were
  // begun.
  slot.piece_told = std::max(slot.piece_told, executor_.ring(DeviceRegister::host_doorbell));
  timeline_.post(slot.piece_told, *this, piece.command.tag * alarms + piece_wanted + piece.half);
}

void HostChannel::submit(HostPiece& piece) {
  executor_.suspend(piece.wait, LifePhase::link);
  piece.awaited = true;
  piece.since = executor_.now();
}

void HostChannel::move_piece(Slot& slot, std::uint64_t alarm) {
  HostPiece*& piece = slot.pieces[alarm % 2];
  if (alarm >= piece_crossed) return end_piece(piece);
  if (alarm >= piece_fetched || slot.command.op == HostOp::write) return carry_piece(slot, *piece);
  fetch_piece(slot, *piece);
}

std::uint32_t HostChannel::offset_of(const HostPiece& piece) const {
  return piece.where.first * blocks_per_sector_ + static_cast<std::uint32_t>(piece.blocks.first.value() % blocks_per_sector_);
}

/// Over the link; a write's is in the DRAM behind that.
void HostChannel::carry_piece(Slot& slot, const HostPiece& piece) {
  HostRequest& request = *slot.request;
  request.piece = piece.blocks;
  const std::uint64_t alarm = piece.command.tag * alarms + piece_crossed + piece.half;
  if (request.op == HostOp::read) {
    link_.send(request);
    return timeline_.post(request.data_last, *this, alarm);
  }
  link_.fetch(request);
  const Picoseconds carrying = request.carrying / request.blocks.count * piece.blocks.count;
  const Picoseconds end = memory_.from_host(slot.command.buffer, offset_of(piece), piece.blocks.count, carrying, request.data_last);
  copy_content(slot, piece);
  post_when_moved(end, alarm);
}

/// Out of the DRAM, as early as the link never runs out of data.
void HostChannel::fetch_piece(Slot& slot, HostPiece& piece) {
  const HostRequest& request = *slot.request;
  const Picoseconds carrying = request.carrying / request.blocks.count * piece.blocks.count;
  const auto data = memory_.to_host(slot.command.buffer, offset_of(piece), piece.blocks.count, carrying, timeline_.now());
  if (!data.good) piece.status = Status::media_error;
  copy_content(slot, piece);
  post_when_moved(data.ready, piece.command.tag * alarms + piece_fetched + piece.half);
}

void HostChannel::end_piece(HostPiece*& piece) {
  HostPiece& crossed = *std::exchange(piece, nullptr);
  crossed.crosses = false;
  if (!crossed.awaited) return;
  // The task may have turned to it at the end of a long run, which is behind the end of the crossing.
  const Picoseconds at = std::max(timeline_.now(), crossed.since);
  Executor::account(crossed.wait, LifePhase::link, at);
  executor_.interrupt(crossed.wait, InterruptLine::host, at);
}

void HostChannel::copy_content(Slot& slot, const HostPiece& piece) const {
  const std::size_t block = kept_per_block(memory_.shape().mode);
  HostRequest& request = *slot.request;
  if (block == 0 || request.content.empty()) return;  // a host without content moves times only
  std::byte* const at_host = request.content.data() + (piece.blocks.first.value() - request.blocks.first.value()) * block;
  std::byte* const here = slot.command.buffer.content(0, slot.command.buffer.sectors()).data() + offset_of(piece) * block;
  if (request.op == HostOp::read)
    std::memcpy(at_host, here, piece.blocks.count * block);
  else
    std::memcpy(here, at_host, piece.blocks.count * block);
}

}  // namespace tessera
