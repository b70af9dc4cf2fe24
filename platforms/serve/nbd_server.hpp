#pragma once
// The NBD server: who listens, the signals that ask for something, and the clients. One thread, nothing blocks but poll().
#include <chrono>
#include <csignal>
#include <optional>
#include <string>

#include "platforms/serve/nbd_clients.hpp"

namespace tessera {

class NbdServer {
 public:
  /// Listens; InputError where it cannot. Signals that ask for something come through signal() from now on.
  explicit NbdServer(const std::string& address);
  ~NbdServer();
  NbdServer(const NbdServer&) = delete;
  NbdServer& operator=(const NbdServer&) = delete;

  [[nodiscard]] const std::string& uri() const { return uri_; }
  [[nodiscard]] NbdClients& clients() { return clients_; }

  /// Sends and receives what there is; waits for something to happen no longer than `patience` (none: for as long as it takes).
  void poll(std::optional<std::chrono::nanoseconds> patience);
  /// A signal that came since the last call: SIGUSR1, SIGUSR2, or one that ends the program; 0 for none.
  [[nodiscard]] int signal();
  /// Ends every connection; clients that take their answers get those that they have not got yet, within a second.
  void say_farewell();

 private:
  void accept();

  std::string address_, uri_;
  int listener_;
  sigset_t before_{};
  int signals_;
  NbdClients clients_;
  bool no_sockets_left_ = false;  ///< the system has none, until a client leaves
  std::size_t clients_then_ = 0;
};

}  // namespace tessera
