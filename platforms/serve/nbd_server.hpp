#pragma once
// The sockets of the NBD server: who listens, who is connected, what came in. One thread, nothing blocks but poll().
#include <chrono>
#include <csignal>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "platforms/serve/nbd_connection.hpp"

namespace tessera {

class NbdServer {
 public:
  /// Listens; InputError where it cannot. Signals that ask for something come through signal() from now on.
  explicit NbdServer(const std::string& address);
  ~NbdServer();
  NbdServer(const NbdServer&) = delete;
  NbdServer& operator=(const NbdServer&) = delete;

  [[nodiscard]] const std::string& uri() const { return uri_; }
  void offer(const NbdExport& exported) { export_ = exported; }

  /// Sends and receives what there is; waits for something to happen no longer than `patience` (none: for as long as it takes).
  void poll(std::optional<std::chrono::nanoseconds> patience);
  /// A signal that came since the last call: SIGUSR1, or one that ends the program; 0 for none.
  [[nodiscard]] int signal();

  /// The next request of any client, round robin, and whose it is.
  [[nodiscard]] bool next(std::uint64_t& client, NbdRequest& request);
  /// Answers it; nothing happens where the client is gone.
  void reply(std::uint64_t client, std::uint64_t cookie, NbdError error, std::span<const std::byte> data);

  /// Ends every connection, as a drive without power does.
  void disconnect_all();
  [[nodiscard]] std::size_t clients() const { return clients_.size(); }

 private:
  struct Client {
    int socket;
    NbdConnection connection;
  };

  void accept();
  /// False where the client is gone.
  [[nodiscard]] bool receive(Client& client);
  [[nodiscard]] static bool send(Client& client);
  void close(std::map<std::uint64_t, Client>::iterator client);

  std::string address_, uri_;
  int listener_;
  sigset_t before_{};
  int signals_;
  NbdExport export_;
  std::map<std::uint64_t, Client> clients_;  // by number, in order of arrival
  std::uint64_t numbers_ = 0;
  std::uint64_t last_served_ = 0;
  std::vector<std::byte> chunk_;
};

}  // namespace tessera
