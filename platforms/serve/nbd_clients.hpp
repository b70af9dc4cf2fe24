#pragma once
// The connected sockets of the NBD server: what comes in, what goes out, who is gone. One thread, nothing blocks. A client that goes away
// is marked, and ends in sweep() alone: nobody else holds one then. What it had sent whole before is carried out.
#include <poll.h>

#include <cstdint>
#include <map>
#include <vector>

#include "platforms/serve/nbd_connection.hpp"

namespace tessera {

class NbdClients {
 public:
  /// With `most` connections a further one takes the place of the oldest that has not taken the export yet, or waits.
  explicit NbdClients(std::size_t most = 128) : most_(most), chunk_(chunk_bytes) {}
  ~NbdClients() { disconnect_all(); }
  NbdClients(const NbdClients&) = delete;
  NbdClients& operator=(const NbdClients&) = delete;

  /// For those that connect from now on.
  void offer(const NbdExport& exported) { export_ = exported; }
  /// Whether a further one can be added.
  [[nodiscard]] bool has_room() const;
  /// Takes a connected socket, which does not block, and greets.
  void add(int socket);

  /// Ends the connections that nothing is left to be done for.
  void sweep();
  /// What is to be waited for, a place for each client; handle() takes what has happened in the same places.
  void watch(std::vector<pollfd>& places) const;
  void handle(std::span<const pollfd> places);

  /// The next request of any client, round robin, and whose it is; its answer goes nowhere where the client is gone.
  [[nodiscard]] bool next(std::uint64_t& client, NbdRequest& request);
  void done(std::uint64_t client, const NbdRequest& request, std::span<const std::byte> data = {});
  void failed(std::uint64_t client, const NbdRequest& request, NbdError error, std::string_view why,
              std::optional<std::uint64_t> at = std::nullopt);
  void status(std::uint64_t client, const NbdRequest& request, std::span<const NbdExtent> extents);

  /// Ends every connection, as a drive without power does.
  void disconnect_all();
  /// Whether a client that takes its answers has not got all of them yet.
  [[nodiscard]] bool owes() const;
  [[nodiscard]] std::size_t size() const { return clients_.size(); }
  /// Bytes that are held for all of them, but those of requests with the drive.
  [[nodiscard]] std::size_t held() const;

 private:
  static constexpr std::size_t chunk_bytes = 256U << 10U;  // of one look at a client, so that all have their turn

  struct Client {
    int socket;
    NbdConnection connection;
  };
  using Clients = std::map<std::uint64_t, Client>;  // by number, in order of arrival

  void receive(Client& client);
  static void send(Client& client);
  [[nodiscard]] static bool next_of(Client& client, NbdRequest& request);
  Clients::iterator close(Clients::iterator client);
  [[nodiscard]] Clients::const_iterator still_haggling() const;

  std::size_t most_;
  NbdExport export_;
  Clients clients_;
  std::uint64_t numbers_ = 0;
  std::uint64_t last_served_ = 0;
  std::vector<std::byte> chunk_;
};

}  // namespace tessera
