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
  struct Patience {
    int look_ms = 200;                           ///< how often somebody who waits looks whether the program was asked to end
    int farewell_ms = 1000;                      ///< a debugger that is let go takes the rest of what was sent to it, within this
    std::chrono::milliseconds between_looks{1};  ///< while the target runs
  };

  /// Listens; InputError where it cannot. Port 0: any that is free. `gives_up`: whether the program was asked to end, so that nothing
  /// waits for a debugger any more.
  GdbServer(
      std::uint16_t port, DebugTarget& target, std::function<bool()> gives_up = [] { return false; });
  /// At a socket that listens already, and does not block; it is closed at the end.
  GdbServer(int listener, DebugTarget& target, std::function<bool()> gives_up, Patience patience);
  ~GdbServer();
  GdbServer(const GdbServer&) = delete;
  GdbServer& operator=(const GdbServer&) = delete;

  [[nodiscard]] std::uint16_t port() const { return port_; }

  /// The target stands still: serves the debugger until it lets the target go on. At Reason::begin it waits for a debugger that says
  /// something; a debugger that goes away, then or later, lets the target go on.
  [[nodiscard]] Resume stopped(const DebugStop& stop);
  /// While the target runs: whether a debugger has come, or asked to stop it. To be called often; looks once a millisecond
  /// at most.
  [[nodiscard]] bool wants_stop();
  /// The target has a new processor in place of one that has gone: breakpoints and watchpoints are set in it, too.
  void renewed();
  /// The target has ended for good.
  void exited(int status);
  [[nodiscard]] bool has_debugger() const { return client_.has_value(); }
  /// Bytes of answers that the debugger has not taken.
  [[nodiscard]] std::size_t held() const { return client_ ? client_->packets.out().size() : 0; }

 private:
  using Clock = std::chrono::steady_clock;

  struct Client {
    int socket;
    GdbPackets packets;
    GdbSession session;
    bool gone = false;           ///< nothing more comes from it
    bool takes_nothing = false;  ///< nothing more can be sent to it
    Client(int connected, DebugTarget& target) : socket(connected), session(target, packets) {}
  };

  /// Waits for something to happen, no longer than `milliseconds` (-1: for as long as it takes), and sends and receives what there is.
  void exchange(int milliseconds);
  void accept();
  void receive();
  void send();
  void drop_if_gone();
  void disconnect();
  void say_farewell();

  DebugTarget* target_;
  std::function<bool()> gives_up_;
  Patience patience_;
  int listener_ = -1;
  std::uint16_t port_ = 0;
  std::optional<Client> client_;
  bool has_come_ = false;  // since the last stop
  Clock::time_point looked_;
};

}  // namespace tessera
