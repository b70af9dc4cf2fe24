#include "controller/host_channel.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace tessera {

HostChannel::HostChannel(Timeline& timeline, Executor& executor, MemoryController& memory, HostLinkUp& link, std::uint32_t tags)
    : timeline_(timeline), executor_(executor), memory_(memory), link_(link), blocks_per_sector_(memory.shape().blocks()), slots_(tags) {}

LogicalRun HostChannel::enclosing(const HostRun& blocks) const {
  const std::uint64_t first = blocks.first.value() / blocks_per_sector_;
  const std::uint64_t end = (blocks.end().value() + blocks_per_sector_ - 1) / blocks_per_sector_;
  return {LogicalSector(first), static_cast<std::uint32_t>(end - first)};
}

void HostChannel::fill(Slot& slot, HostRequest& request) {
  slot.command.op = request.op;
  slot.command.force_unit_access = request.force_unit_access;
  slot.command.all_zones = request.all_zones;
  slot.command.blocks = request.blocks;
  slot.command.tag = request.tag;
  slot.command.aborted = false;
  slot.command.data_at_host = request.data_at_host;
  slot.request = &request;
  slot.done = false;
  slot.good = true;
  slot.fetching = false;
  slot.extent = 0;
  slot.ready.reset();
  request.zones.clear();
}

void HostChannel::arrived(HostRequest& request, FirmwareEntry& firmware) {
  TESSERA_CHECK(request.tag < slots_.size() && slots_[request.tag].request == nullptr, "a host tag was used twice");
  Slot& slot = slots_[request.tag];
  fill(slot, request);
  ++outstanding_;
  last_activity_ = timeline_.now();
  Picoseconds ready = timeline_.now();
  if (moves_data(request.op))
    memory_.acquire_host(slot.command.buffer, request.place.value_or(0),
                         request.window == Bytes(0) ? enclosing(request.blocks).count : memory_.sectors_of(request.window));
  if (request.op == HostOp::read) {
    const bool marked = request.block_time != Picoseconds(0) && request.water_mark != 0;
    slot.command.buffer.read_flow().open(request.block_time * blocks_per_sector_,
                                         marked ? enclosing({request.blocks.first, request.water_mark}).count : 0,
                                         request.lag / blocks_per_sector_);
  }
  if (request.op == HostOp::write) {
    const auto offset = static_cast<std::uint32_t>(request.blocks.first.value() % blocks_per_sector_);
    if (!request.data_at_host) ready = memory_.from_host(slot.command.buffer, offset, request.blocks.count, request.carrying, ready);
    const std::size_t block = kept_per_block(memory_.shape().mode);
    if (block != 0 && request.window == Bytes(0))
      std::memcpy(slot.command.buffer.content(0, slot.command.buffer.sectors()).data() + offset * block, request.content.data(),
                  request.content.size());
    slot.firmware = &firmware;
    if (writes_in_order_) untold_writes_.push_back(request.tag);
    if (!request.data_at_host && !memory_.host_done(memory_.host_extent(), *this, request.tag * alarms + write_here, ready)) return;
    return stored(slot, ready);
  }
  begin_service(slot, firmware, ready);
}

/// A write's data is in the DRAM as of `ready`, or is asked for later.
void HostChannel::stored(Slot& slot, Picoseconds ready) {
  if (!writes_in_order_) return begin_service(slot, *slot.firmware, ready);
  slot.ready = ready;
  while (!untold_writes_.empty() && slots_[untold_writes_.front()].ready) {
    Slot& next = slots_[untold_writes_.front()];
    untold_writes_.pop_front();
    last_write_told_ = std::max(*next.ready, last_write_told_);
    begin_service(next, *next.firmware, last_write_told_);
  }
}

void HostChannel::begin_service(Slot& slot, FirmwareEntry& firmware, Picoseconds ready) {
  HostRequest& request = *slot.request;
  request.life.account(LifePhase::link, ready);
  request.life.enter(LifePhase::cpu_wait, ready);
  RootTask& task = executor_.start(firmware.serve(slot.command), &request.life, InterruptLine::host, ready);
  task.name = to_string(request.op);
  task.tag = request.tag;
  task.host_read = request.op == HostOp::read;
  task.host_write = request.op == HostOp::write;
}

void HostChannel::complete(HostCommand& command, Status status) {
  Slot& slot = slots_[command.tag];
  TESSERA_CHECK(slot.request != nullptr && !slot.done, "the firmware completed a host command twice");
  slot.done = true;
  slot.request->status = status;
  executor_.complete_request({*this, command.tag * alarms + answer});
}

void HostChannel::report(HostCommand& command, const ZoneDescriptor& zone) { slots_[command.tag].request->zones.push_back(zone); }

void HostChannel::fetch(HostCommand& command) {
  command.data_at_host = false;
  if (halted_) return;
  timeline_.post(executor_.ring(DeviceRegister::host_doorbell), *this, command.tag * alarms + data_wanted);
}

void HostChannel::submit(HostReceipt& receipt) {
  const HostTag tag = receipt.command.tag;
  Slot& slot = slots_[tag];
  executor_.suspend(receipt.wait, LifePhase::link);
  slot.receipt = &receipt;
  // Firmware on a processor of its own takes time between asking and waiting: its data is on the way already, or here.
  if (slot.fetching) post_when_stored(slot, std::max(slot.command.buffer.write_flow().last, executor_.now()), tag);
}

void HostChannel::post_when_stored(const Slot& slot, Picoseconds at, HostTag tag) {
  if (memory_.host_done(slot.extent, *this, tag * alarms + data_here, at)) timeline_.post(at, *this, tag * alarms + data_here);
}

/// At `at`, or when the bursts of what crossed last are answered, where there are any and that is later.
void HostChannel::post_when_moved(Picoseconds at, std::uint64_t alarm) {
  if (memory_.host_done(memory_.host_extent(), *this, alarm, at)) timeline_.post(at, *this, alarm);
}

void HostChannel::on_time(std::uint64_t argument) {
  const auto tag = static_cast<HostTag>(argument / alarms);
  Slot& slot = slots_[tag];
  switch (static_cast<Alarm>(argument % alarms)) {
    case data_wanted: return begin_fetch(slot, tag);
    case data_here: {
      DeviceWait& wait = slot.receipt->wait;
      slot.receipt = nullptr;
      Executor::account(wait, LifePhase::link, timeline_.now());
      return executor_.interrupt(wait, InterruptLine::host, timeline_.now());
    }
    case fetched: return end(slot);
    case answer: return begin_answer(slot, tag);
    case write_here: return stored(slot, timeline_.now());
    default: return move_piece(slot, argument % alarms);
  }
}

/// The link carries the data into the buffer, the DMA along with it.
void HostChannel::begin_fetch(Slot& slot, HostTag tag) {
  HostRequest& request = *slot.request;
  request.piece = request.blocks;
  link_.fetch(request);
  const auto offset = static_cast<std::uint32_t>(request.blocks.first.value() % blocks_per_sector_);
  const Picoseconds stored = memory_.from_host(slot.command.buffer, offset, request.blocks.count, request.carrying, request.data_last);
  slot.command.buffer.write_flow() = {request.data_first, stored};
  slot.fetching = true;
  slot.extent = memory_.host_extent();
  if (slot.receipt != nullptr) post_when_stored(slot, slot.command.buffer.write_flow().last, tag);
}

/// The link may begin with a read's data when the DMA can keep up with it.
void HostChannel::begin_answer(Slot& slot, HostTag tag) {
  const HostRequest& request = *slot.request;
  request.life.enter(LifePhase::link, timeline_.now());
  if (request.op != HostOp::read || request.aborted || request.window != Bytes(0)) return end(slot);
  const auto offset = static_cast<std::uint32_t>(request.blocks.first.value() % blocks_per_sector_);
  const auto data = memory_.to_host(slot.command.buffer, offset, request.blocks.count, request.carrying, timeline_.now());
  slot.good = data.good;
  if (!memory_.host_done(memory_.host_extent(), *this, tag * alarms + fetched, data.ready)) return;
  if (data.ready == timeline_.now()) return end(slot);
  timeline_.post(data.ready, *this, tag * alarms + fetched);
}

void HostChannel::end(Slot& slot) {
  HostRequest& request = *slot.request;
  last_activity_ = timeline_.now();
  if (request.op == HostOp::read && !request.aborted && request.window == Bytes(0)) {
    request.stream_from = slot.command.buffer.read_flow().begin(slot.command.buffer.sectors(), timeline_.now());
    const auto offset = static_cast<std::uint32_t>(request.blocks.first.value() % blocks_per_sector_);
    if (!slot.good && ok(request.status)) request.status = Status::media_error;
    const std::size_t block = kept_per_block(memory_.shape().mode);
    if (block != 0)
      std::memcpy(request.content.data(), slot.command.buffer.content(0, slot.command.buffer.sectors()).data() + offset * block,
                  request.content.size());
  }
  if (moves_data(request.op)) memory_.release_host(slot.command.buffer);
  slot.request = nullptr;
  --outstanding_;
  link_.complete(request);
}

void HostChannel::abort(const HostRequest& request, FirmwareEntry& firmware) {
  Slot& slot = slots_[request.tag];
  if (slot.request != &request || slot.done) return;
  slot.command.aborted = true;
  firmware.aborted(slot.command);
}

bool HostChannel::write_waiting(LogicalSector first, LogicalSector end, HostTag in_hand) const {
  for (const Slot& slot : slots_) {
    if (slot.request == nullptr || slot.done || slot.command.op != HostOp::write || slot.command.tag == in_hand) continue;
    const LogicalRun run = enclosing(slot.command.blocks);
    if (run.first < end && first < run.end()) return true;
  }
  return false;
}

const HostRequest* HostChannel::request_of(const RequestLife* life) const {
  for (const Slot& slot : slots_)
    if (slot.request != nullptr && &slot.request->life == life) return slot.request;
  return nullptr;
}

void HostChannel::halt() {
  timeline_.withdraw(*this);
  if (ExtentTraffic* const traffic = memory_.traffic()) traffic->withdraw(*this);
  halted_ = true;
}

void HostChannel::power_off() {
  timeline_.withdraw(*this);
  halted_ = false;
  untold_writes_.clear();
  last_write_told_ = {};
  for (Slot& slot : slots_) slot = {};
  outstanding_ = 0;
}

// --- Commands that stream ---

// The pieces of commands that stream: each crosses link, bus and DRAM by itself, while the firmware works for the other half of the buffer.

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
