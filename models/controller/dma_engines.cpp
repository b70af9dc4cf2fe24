#include "controller/dma_engines.hpp"

namespace tessera {

DmaGrant DmaEngines::price(const DmaTransfer& transfer) const {
  if (transfer.bytes == Bytes(0)) return {timeline_.now(), Bytes(0)};
  return memory_.dma(transfer, timeline_.now());
}

DmaGrant DmaEngines::disk_moved(const MediaStep& step, Picoseconds passing, std::uint32_t arm) {
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
  return price(transfer);
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
  return price(transfer);
}

}  // namespace tessera
