#include "controller/control_path.hpp"

#include <algorithm>

namespace tessera {

namespace {

constexpr std::uint64_t bytes_of(BusExchange entry) { return exchange_bytes[static_cast<std::size_t>(entry)].value(); }

/// Of host, disk and flash, for 64 commands each.
constexpr std::uint64_t rings_bytes = std::uint64_t{3} * 64 * (bytes_of(BusExchange::command) + bytes_of(BusExchange::completion));

DeviceRegister bell_of(BusInitiator engine) {
  switch (engine) {
    case BusInitiator::host: return DeviceRegister::host_doorbell;
    case BusInitiator::disk: return DeviceRegister::disk_doorbell;
    default: return DeviceRegister::flash_doorbell;
  }
}

}  // namespace

void ControlPath::power_on() {
  register_time_ = bus_.quiet_time(BusExchange::register_access) + latency_;
  own_places_ = {};
  if (executor_.served_elsewhere()) return;
  rings_ = memory_.reserve(MemoryCategory::descriptors, Bytes(rings_bytes), "rings of commands and completions").address;
  in_tcm_ = Tcm::holds(rings_);
  cursor_ = 0;
  for (const BusExchange entry : {BusExchange::command, BusExchange::completion})
    known_[static_cast<std::size_t>(entry)] = {memory_.tcm().time_of(rings_, bytes_of(entry)),
                                               bus_.quiet_time(BusExchange::register_access) + bus_.quiet_time(entry)};
}

Picoseconds ControlPath::acknowledge_slowly(Picoseconds at) {
  const Picoseconds read = by_port_ ? cpu_.access_register(DeviceRegister::interrupt_acknowledge, Access::read, at)
                                    : bus_.exchange(BusExchange::register_access, 1, at);
  const Picoseconds known = read + latency_;
  ring(DeviceRegister::end_of_interrupt, known);
  return known - at;
}

Picoseconds ControlPath::hand_out_slowly(BusInitiator engine, BusExchange entry, std::uint64_t times) {
  const DeviceRegister bell = bell_of(engine);
  if (!in_tcm_) {
    burst_by_cpu(entry, times, Access::write);
    return by_engine(engine, entry, times, Access::read, ring(bell, executor_.now()));
  }
  for (std::uint64_t i = 0; i < times; ++i) count_in_tcm(entry);
  return bus_.exchange(entry, times, ring(bell, executor_.now()));
}

/// In the DRAM entries lie behind those before. Devices see them too, so that no cache holds them.
DmaTransfer ControlPath::burst(BusInitiator engine, BusExchange entry, std::uint64_t times, Access access) {
  const std::uint64_t bytes = std::min(bytes_of(entry) * times, rings_bytes);
  if (cursor_ + bytes > rings_bytes) cursor_ = 0;
  DmaTransfer transfer{engine, rings_ + cursor_, Bytes(bytes), access};
  transfer.account = BusAccount::descriptors;
  cursor_ += bytes;
  return transfer;
}

Picoseconds ControlPath::by_engine(BusInitiator engine, BusExchange entry, std::uint64_t times, Access access, Picoseconds at) {
  if (!executor_.served_elsewhere()) return memory_.dma(burst(engine, entry, times, access), at).end;
  const Place& place = own_place(engine, access);
  if (place.bytes == Bytes(0)) return at;
  DmaTransfer transfer{engine, place.at, place.bytes, access};
  transfer.account = BusAccount::descriptors;
  return memory_.dma(transfer, at).end;
}

void ControlPath::burst_by_cpu(BusExchange entry, std::uint64_t times, Access access) {
  if (executor_.served_elsewhere()) return;
  executor_.stall(memory_.dma(burst(BusInitiator::cpu, entry, times, access), executor_.now()).end);
}

}  // namespace tessera
