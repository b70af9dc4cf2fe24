#pragma once
// The server of a drive: who listens, the signals that ask for something, and the clients of both protocols. One thread, nothing blocks
// but poll().
#include <chrono>
#include <csignal>
#include <optional>

#include "platforms/serve/listener.hpp"
#include "platforms/serve/nbd_clients.hpp"
#include "platforms/serve/zone_clients.hpp"

namespace tessera {

class DriveServer {
 public:
  /// Listens; InputError where it cannot. Signals that ask for something come through signal() from now on.
  DriveServer(ListeningPlace nbd, ListeningPlace zones);
  ~DriveServer();
  DriveServer(const DriveServer&) = delete;
  DriveServer& operator=(const DriveServer&) = delete;

  [[nodiscard]] Listener<NbdClients>& nbd() { return nbd_; }
  [[nodiscard]] Listener<ZoneClients>& zones() { return zones_; }

  /// Sends and receives what there is; waits for something to happen no longer than `patience` (none: for as long as it takes).
  void poll(std::optional<std::chrono::nanoseconds> patience);
  /// A signal that came since the last call: SIGUSR1, SIGUSR2, or one that ends the program; 0 for none.
  [[nodiscard]] int signal();
  /// As a drive without power does.
  void disconnect_all();
  /// Ends every connection; clients that take their answers get those that they have not got yet, within a second.
  void say_farewell();

 private:
  Listener<NbdClients> nbd_;
  Listener<ZoneClients> zones_;
  sigset_t before_{};
  int signals_;
};

}  // namespace tessera
