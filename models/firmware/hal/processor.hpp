#pragma once
// What the firmware's tasks run on, as the other ports see it: on a chip the executor of this library (Cpu), in the simulator's process
// the modelled one.
#include "firmware/ports/cpu_port.hpp"
#include "firmware/ports/host_port.hpp"
#include "firmware/ports/memory_port.hpp"

namespace tessera::hal {

class Processor {
 public:
  /// As the firmware sees it.
  [[nodiscard]] virtual CpuPort& port() = 0;
  /// The firmware's memory for the firmware, with whoever is to know of its accesses in front.
  [[nodiscard]] virtual MemoryPort& watched(MemoryPort& memory) { return memory; }

  /// Entries of a unit's ring of completions, a power of two: so many it may owe at once, and what is submitted meanwhile waits.
  [[nodiscard]] virtual std::uint32_t ring_entries() const { return 64; }

  /// Makes `task` ready, on behalf of the host command of this tag.
  virtual void start(Task<void> task, HostTag tag) = 0;
  /// Of the running task.
  [[nodiscard]] virtual HostTag tag() const = 0;
  /// The running task waits on `wait` for a device, until make_ready().
  virtual void suspend(DeviceWait& wait, LifePhase phase) = 0;
  virtual void make_ready(DeviceWait& wait) = 0;
  /// Runs whatever is ready until nothing is.
  virtual void run() = 0;
  /// The alarm went off.
  virtual void wake() = 0;
  /// Ends all tasks. Their frames give back what they hold: it must still be there.
  virtual void end() = 0;

 protected:
  ~Processor() = default;
};

}  // namespace tessera::hal
