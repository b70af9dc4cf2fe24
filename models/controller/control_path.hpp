#pragma once
// How CPU and devices tell each other what to do and what was done: registers, and entries of rings that both can reach.
//
// A device's command is an entry that the CPU writes and rings a doorbell for, and the device's engine reads; its completion is an entry
// that the engine writes in front of its interrupt and the CPU reads. A host command comes and goes the same way. All of it crosses the
// interconnect, in closed form; where the rings lie in the TCM (firmware.placement.descriptors) the CPU's own accesses do not. There, on
// a bus that nobody uses, each takes a time that is known beforehand. Firmware on a processor of its own reads and writes entries by its
// own loads and stores, and says where they lie: what engines do with them there is priced then, and nothing else.
//
// Not modelled: rings that are full; registers of units that firmware does not know here (link, power, watchdog).
#include "controller/memory_controller.hpp"

namespace tessera {

class ControlPath {
 public:
  /// `latency`: of a register that is read, beside its way over the bus.
  ControlPath(Executor& executor, MemoryController& memory, CpuLink& cpu, Interconnect& bus, Picoseconds latency)
      : executor_(executor), memory_(memory), cpu_(cpu), bus_(bus), latency_(latency), by_port_(cpu.carries_registers()) {}

  /// Reserves the rings, but for firmware on a processor of its own; at every power-on, before the firmware is loaded.
  void power_on();
  /// Firmware on a processor of its own has what an engine reads or writes of entries there from now on, and an access moves so many bytes.
  /// What it has nowhere is in a register.
  void lie(BusInitiator engine, Access access, DramAddress at, Bytes bytes) { own_place(engine, access) = {at, bytes}; }

  /// The CPU takes an interrupt at `at`: it reads who interrupts, which acknowledges it, and writes that it was served (GICC_IAR and
  /// GICC_EOIR of ARM's generic interrupt controller, IHI 0048B). Gives for how long it waits for the first.
  Picoseconds acknowledge(Picoseconds at) {
    if (by_port_ || !bus_.idle_from(at)) [[unlikely]]
      return acknowledge_slowly(at);
    bus_.count(BusExchange::register_access, 2);
    if (Signal::anyone_watches()) [[unlikely]] {
      bus_.show(BusExchange::register_access, 1, at);
      bus_.show(BusExchange::register_access, 1, at + register_time_);
    }
    return register_time_;
  }
  /// The CPU writes a register at `at` and goes on: gives when the write has crossed the bus.
  Picoseconds ring(DeviceRegister which, Picoseconds at) {
    return by_port_ ? cpu_.access_register(which, Access::write, at) : bus_.exchange(BusExchange::register_access, 1, at);
  }

  /// The core that runs reads an entry.
  void take(BusExchange entry) {
    if (!in_tcm_) [[unlikely]]
      return burst_by_cpu(entry, 1, Access::read);
    count_in_tcm(entry);
  }
  /// The core that runs writes entries and rings for them: gives when the engine has read them.
  Picoseconds hand_out(BusInitiator engine, BusExchange entry, std::uint64_t times) {
    if (times != 1 || !quiet()) return hand_out_slowly(engine, entry, times);
    count_in_tcm(entry);
    bus_.count(BusExchange::register_access, 1);
    bus_.count(entry, 1);
    if (Signal::anyone_watches()) [[unlikely]] {
      bus_.show(BusExchange::register_access, 1, executor_.now());
      bus_.show(entry, 1, executor_.now() + bus_.quiet_time(BusExchange::register_access));
    }
    return executor_.now() + known_[static_cast<std::size_t>(entry)].bell_and_engine;
  }
  /// An engine writes an entry at `at`: gives when it has.
  Picoseconds announce(BusInitiator engine, BusExchange entry, Picoseconds at) {
    return in_tcm_ ? bus_.exchange(entry, 1, at) : by_engine(engine, entry, 1, Access::write, at);
  }

 private:
  static constexpr std::size_t initiators = static_cast<std::size_t>(BusAccount::flash) + 1;

  [[nodiscard]] bool quiet() const { return in_tcm_ && !by_port_ && bus_.idle_from(executor_.now()); }
  void count_in_tcm(BusExchange entry) {
    const Picoseconds time = known_[static_cast<std::size_t>(entry)].cpu;
    memory_.tcm().count(MemoryCategory::descriptors, time);
    executor_.spend(time);
  }
  struct Place {
    DramAddress at;
    Bytes bytes;  ///< 0: in a register
  };
  [[nodiscard]] Place& own_place(BusInitiator engine, Access access) {
    return own_places_[static_cast<std::size_t>(account_of(engine))][static_cast<std::size_t>(access)];
  }
  [[nodiscard]] DmaTransfer burst(BusInitiator engine, BusExchange entry, std::uint64_t times, Access access);
  Picoseconds by_engine(BusInitiator engine, BusExchange entry, std::uint64_t times, Access access, Picoseconds at);
  void burst_by_cpu(BusExchange entry, std::uint64_t times, Access access);
  Picoseconds acknowledge_slowly(Picoseconds at);
  Picoseconds hand_out_slowly(BusInitiator engine, BusExchange entry, std::uint64_t times);

  Executor& executor_;
  MemoryController& memory_;
  CpuLink& cpu_;
  Interconnect& bus_;
  Picoseconds latency_;
  bool by_port_;  // registers are reached through the CPU's port
  DramAddress rings_;
  bool in_tcm_ = false;                                        // all of them
  std::uint64_t cursor_ = 0;                                   // where the next entries of rings in the DRAM lie
  std::array<std::array<Place, 2>, initiators> own_places_{};  // lie()

  Picoseconds register_time_;  // that is read, where nobody else is on the bus
  struct Known {
    Picoseconds cpu;              ///< the CPU's access to an entry in the TCM
    Picoseconds bell_and_engine;  ///< a doorbell, and the engine's access behind it
  };
  std::array<Known, exchange_bytes.size()> known_;  // by entry
};

}  // namespace tessera
