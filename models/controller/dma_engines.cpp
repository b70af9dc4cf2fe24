#include "controller/dma_engines.hpp"

#include <algorithm>

namespace tessera {

DmaGrant DmaEngines::price(const DmaTransfer& transfer) const {
  if (transfer.bytes == Bytes(0)) return {timeline_.now(), Bytes(0)};
  return memory_.dma(transfer, timeline_.now());
}

DmaTransfer DmaEngines::transfer_of(const MediaStep& step, Picoseconds passing, std::uint32_t arm) const {
  DmaTransfer transfer{
      bus_.disk_engine(arm), memory_.staging(), Bytes(0), step.op == MediaOp::read ? Access::write : Access::read, passing, passing, true,
      BusAccount::disk};
  if (step.data.buffer != nullptr) {
    transfer.address = memory_.address_of(step.data);
    transfer.bytes = memory_.bytes_of(step.data.count);
  } else if (!step.system.empty()) {
    transfer.address = memory_.address_of(step.system);
    transfer.bytes = Bytes(step.system.size());
  }
  transfer.bytes += Bytes(header_bytes) * (step.headers.size() + (step.header != nullptr ? 1 : 0));
  if (step.early != nullptr) transfer.bytes += memory_.bytes_of(step.early->count);
  return transfer;
}

std::uint64_t& DmaEngines::last_of(BusInitiator engine) {
  const auto number = static_cast<std::size_t>(engine);
  if (last_.size() <= number) last_.resize(number + 1);
  return last_[number];
}

void DmaEngines::disk_starts(const MediaStep& step, Picoseconds from, Picoseconds passing, Bytes ahead, std::uint32_t arm) {
  const DmaTransfer transfer = transfer_of(step, passing, arm);
  last_of(transfer.engine) = memory_.send({transfer.engine, transfer.address, transfer.bytes, transfer.access, from, passing, ahead});
}

void DmaEngines::disk_gave_up(std::uint32_t arm) {
  const BusInitiator engine = bus_.disk_engine(arm);
  if (last_of(engine) != 0) memory_.traffic()->dropped(engine);
}

DmaGrant DmaEngines::disk_moved(const MediaStep& step, Picoseconds passing, std::uint32_t arm) {
  const DmaTransfer transfer = transfer_of(step, passing, arm);
  DmaGrant grant = price(transfer);
  if (in_bursts() && last_of(transfer.engine) != 0) grant.behind = std::max(grant.behind, memory_.traffic()->passed(transfer.engine));
  return grant;
}

bool DmaEngines::disk_done(std::uint32_t arm, TimelineListener& listener, std::uint64_t argument, Picoseconds earliest) {
  const BusInitiator engine = bus_.disk_engine(arm);
  return memory_.traffic()->done(engine, last_of(engine), listener, argument, earliest);
}

bool DmaEngines::flash_done(const FlashLane& lane, TimelineListener& listener, std::uint64_t argument, Picoseconds earliest) {
  const BusInitiator engine = flash_engine(lane.channel);
  return memory_.traffic()->done(engine, last_of(engine), listener, argument, earliest);
}

void DmaEngines::withdraw(const TimelineListener& listener) {
  if (in_bursts()) memory_.traffic()->withdraw(listener);
}

DmaGrant DmaEngines::flash_moves(const FlashCommand& command, const FlashLane& lane) {
  const bool reads = command.op == FlashOp::read || command.op == FlashOp::read_oob;
  if (!reads && !programs(command.op)) return {timeline_.now(), Bytes(0)};
  DmaTransfer transfer{flash_engine(lane.channel),
                       memory_.staging(),
                       Bytes(command.oob.size()),
                       reads ? Access::write : Access::read,
                       lane.carrying,
                       {},
                       true};
  if (reads) transfer.since = lane.carrying;
  for (const FlashCommand* part = &command; part != nullptr; part = part->next) {
    if (part != &command) transfer.bytes += Bytes(part->oob.size());
    if (part->data.buffer == nullptr) continue;
    if (part == &command) transfer.address = memory_.address_of(part->data);
    transfer.bytes += memory_.bytes_of(part->data.count);
  }
  if (in_bursts())
    last_of(transfer.engine) =
        memory_.send({.engine = transfer.engine, .address = transfer.address, .bytes = transfer.bytes, .access = transfer.access});
  return price(transfer);
}

}  // namespace tessera
