// Who has a channel next.
//
// A channel is granted when it is free, never ahead of time, so that a command can go before pages that asked earlier and still wait. No
// transfer that has begun ever moves.
#include <utility>

#include "nand/nand_device.hpp"

namespace tessera {

/// Whether more than command and address cycles cross.
bool NandDevice::carries_page(const Operation& operation) const {
  if (operation.phase == Phase::unloading) return true;
  return programs(operation.kind) && operation.moves > Bytes(0) && config_.bus_rate != BytesPerSecond(0);
}

bool NandDevice::goes_first(const Operation& operation) const {
  return config_.arbitration == ChannelArbitration::command_first && !carries_page(operation);
}

/// The channel is to carry the command to the die, or its data from it.
void NandDevice::transfer(std::uint32_t slot, Phase phase) {
  Operation& operation = slots_[slot];
  operation.phase = phase;
  operation.next = none;
  Channel& channel = channels_[operation.place.channel];
  Line& line = goes_first(operation) ? channel.commands : channel.others;
  (line.tail == none ? line.head : slots_[line.tail].next) = slot;
  line.tail = slot;
  if (!channel.taken) carry_next(operation.place.channel);
}

void NandDevice::carry_next(std::uint32_t index) {
  Channel& channel = channels_[index];
  Line& line = channel.commands.head != none ? channel.commands : channel.others;
  const std::uint32_t slot = line.head;
  if (slot == none) {
    if (std::exchange(channel.taken, false)) set_busy(index, false);
    return;
  }
  const Operation& operation = slots_[slot];
  line.head = operation.next;
  if (line.head == none) line.tail = none;
  const Picoseconds length = operation.phase == Phase::loading ? operation.loading : operation.unloading;
  channel.free = timeline_.now() + length;
  channel.busy += length;
  if (operation.phase == Phase::unloading || programs(operation.kind)) counters_.transferred += operation.moves;
  if (!std::exchange(channel.taken, true)) set_busy(index, true);
  post(channel.free, Action::transferred, slot);
}

/// The next one is chosen when the die has gone on and the client has heard: what they ask for at this instant takes part.
void NandDevice::transferred(std::uint32_t slot) {
  const std::uint32_t channel = slots_[slot].place.channel;
  crossed(slot);
  carry_next(channel);
}

}  // namespace tessera
