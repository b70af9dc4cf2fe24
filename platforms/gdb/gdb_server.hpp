#pragma once
// GDB's remote serial protocol on a TCP port of the loopback interface: one debugger at a time. One thread: the simulation calls, and
// nothing of it passes while the target stands still.
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>

#include "platforms/gdb/debug_target.hpp"
#include "platforms/gdb/gdb_packets.hpp"
#include "platforms/gdb/gdb_session.hpp"

namespace tessera {

class GdbServer {
 public:
  /// Listens; InputError where it cannot. Port 0: any that is free. `gives_up`: whether the program was asked to end, so that nothing
  /// waits for a debugger any more.
  GdbServer(
      std::uint16_t port, DebugTarget& target, std::function<bool()> gives_up = [] { return false; });
  ~GdbServer();
  GdbServer(const GdbServer&) = delete;
  GdbServer& operator=(const GdbServer&) = delete;

  [[nodiscard]] std::uint16_t port() const { return port_; }

  /// The target stands still: serves the debugger until it lets the target go on. At Reason::begin it waits for a debugger to come;
  /// otherwise, where there is none, the target goes on at once.
  [[nodiscard]] Resume stopped(const DebugStop& stop);
  /// While the target runs: whether a debugger has come, or asked to stop it. To be called often; looks once a millisecond.
  [[nodiscard]] bool wants_stop();
  /// The target has a new processor in place of one that has gone: breakpoints and watchpoints are set in it, too.
  void renewed();
  /// The target has ended for good.
  void exited(int status);

 private:
  using Clock = std::chrono::steady_clock;

  struct Client {
    int socket;
    GdbPackets packets;
    GdbSession session;
    Client(int connected, DebugTarget& target) : socket(connected), session(target, packets) {}
  };

  /// Waits for something to happen, no longer than `milliseconds` (-1: for as long as it takes), and sends and receives what there is.
  void exchange(int milliseconds);
  void accept();
  void receive();
  void send();
  void disconnect();

  DebugTarget* target_;
  std::function<bool()> gives_up_;
  int listener_ = -1;
  std::uint16_t port_ = 0;
  std::optional<Client> client_;
  bool has_come_ = false;  // since the last stop
  Clock::time_point looked_;
};

}  // namespace tessera
