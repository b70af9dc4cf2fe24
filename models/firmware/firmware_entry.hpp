#pragma once
// What the controller calls: the firmware's boot code and its handler of host commands.
#include "firmware/ports/host_port.hpp"
#include "firmware/ports/task.hpp"

namespace tessera {

class FirmwareEntry {
 public:
  virtual ~FirmwareEntry() = default;
  /// Runs once after power-on, before any command is served.
  [[nodiscard]] virtual Task<Status> boot(bool after_power_cut) = 0;
  /// Serves one command and ends with HostPort::complete(); one task a command, many at once.
  [[nodiscard]] virtual Task<void> serve(HostCommand& command) = 0;
  /// The host gave up a command that is being served: HostCommand::aborted says so too.
  virtual void aborted(const HostCommand&) {}
  /// No buffered write is left to drain and no background work that was begun is unfinished.
  [[nodiscard]] virtual bool idle() const = 0;
  /// Executes nothing more, and is destroyed once the devices have ended what they began. What runs in the controller's tasks stops with
  /// them.
  virtual void halt() {}
};

}  // namespace tessera
