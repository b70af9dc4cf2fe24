#pragma once
// The connected sockets of one protocol's clients: what comes in, what goes out, who is gone. One thread, nothing blocks. A client that
// goes away is marked, and ends in sweep() alone: nobody else holds one then. What it had sent whole before is carried out.
//
// A Connection is one client without its socket: NbdConnection, ZoneConnection.
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

namespace tessera {

template <class Connection>
class SocketClients {
 public:
  using Request = typename Connection::Request;
  using Offer = typename Connection::Offer;

  /// With `most` connections a further one takes the place of the oldest that has not agreed() yet, or waits.
  explicit SocketClients(std::size_t most = 128) : most_(most), chunk_(chunk_bytes) {}
  ~SocketClients() { disconnect_all(); }
  SocketClients(const SocketClients&) = delete;
  SocketClients& operator=(const SocketClients&) = delete;

  /// For those that connect from now on.
  void offer(const Offer& offered) { offer_ = offered; }
  /// Whether a further one can be added.
  [[nodiscard]] bool has_room() const { return clients_.size() < most_ || still_haggling() != clients_.end(); }
  /// Takes a connected socket, which does not block, and greets.
  void add(int socket);

  /// Ends the connections that nothing is left to be done for.
  void sweep();
  /// What is to be waited for, a place for each client; handle() takes what has happened in the same places.
  void watch(std::vector<pollfd>& places) const;
  void handle(std::span<const pollfd> places);

  /// The next request of any client, round robin, and whose it is; its answer goes nowhere where the client is gone.
  [[nodiscard]] bool next(std::uint64_t& client, Request& request);
  /// `give` answers on the client's connection.
  template <class Give>
  void answer(std::uint64_t client, Give give) {
    const auto at = clients_.find(client);
    if (at == clients_.end()) return;
    give(at->second.connection);
    send(at->second);
  }

  /// Ends every connection, as a drive without power does.
  void disconnect_all() {
    while (!clients_.empty()) close(clients_.begin());
  }
  /// Whether a client that takes its answers has not got all of them yet.
  [[nodiscard]] bool owes() const {
    return std::ranges::any_of(clients_, [](const auto& client) { return !client.second.connection.out().empty(); });
  }
  [[nodiscard]] std::size_t size() const { return clients_.size(); }
  /// Bytes that are held for all of them, but those of requests with the drive.
  [[nodiscard]] std::size_t held() const {
    std::size_t bytes = 0;
    for (const auto& [number, client] : clients_) bytes += client.connection.held();
    return bytes;
  }

 private:
  static constexpr std::size_t chunk_bytes = 256U << 10U;  // of one look at a client, so that all have their turn

  struct Client {
    int socket;
    Connection connection;
  };
  using Clients = std::map<std::uint64_t, Client>;  // by number, in order of arrival

  void receive(Client& client);
  static void send(Client& client);
  [[nodiscard]] static bool next_of(Client& client, Request& request);
  typename Clients::iterator close(typename Clients::iterator client) {
    ::close(client->second.socket);
    return clients_.erase(client);
  }
  [[nodiscard]] typename Clients::const_iterator still_haggling() const {
    return std::ranges::find_if(clients_, [](const auto& client) { return !client.second.connection.agreed(); });
  }

  std::size_t most_;
  Offer offer_;
  Clients clients_;
  std::uint64_t numbers_ = 0;
  std::uint64_t last_served_ = 0;
  std::vector<std::byte> chunk_;
};

template <class Connection>
void SocketClients<Connection>::add(int socket) {
  if (clients_.size() >= most_)
    if (const auto oldest = still_haggling(); oldest != clients_.end()) close(clients_.find(oldest->first));
  send(clients_.emplace(++numbers_, Client{socket, Connection(offer_)}).first->second);
}

template <class Connection>
void SocketClients<Connection>::sweep() {
  for (auto client = clients_.begin(); client != clients_.end();)
    client = client->second.connection.finished() ? close(client) : std::next(client);
}

/// One that nothing is wanted of is not looked at: its end would be seen again and again.
template <class Connection>
void SocketClients<Connection>::watch(std::vector<pollfd>& places) const {
  for (const auto& [number, client] : clients_) {
    const bool reads = client.connection.reads(), writes = !client.connection.out().empty();
    places.push_back({reads || writes ? client.socket : -1, static_cast<short>((reads ? POLLIN : 0) | (writes ? POLLOUT : 0)), 0});
  }
}

template <class Connection>
void SocketClients<Connection>::handle(std::span<const pollfd> places) {
  constexpr short ends = POLLHUP | POLLERR;
  auto client = clients_.begin();
  for (const pollfd& place : places) {
    const bool writes = (place.events & POLLOUT) != 0 && (place.revents & (POLLOUT | ends)) != 0;
    const bool reads = (place.events & POLLIN) != 0 && (place.revents & (POLLIN | ends)) != 0;
    if (writes) send(client->second);
    if (reads) receive(client->second);
    ++client;
  }
}

template <class Connection>
void SocketClients<Connection>::receive(Client& client) {
  const ssize_t got = ::recv(client.socket, chunk_.data(), chunk_.size(), 0);
  if (got > 0)
    client.connection.feed(std::span(chunk_).first(static_cast<std::size_t>(got)));
  else if (got == 0 || (errno != EAGAIN && errno != EINTR))
    client.connection.end_of_input();
}

template <class Connection>
void SocketClients<Connection>::send(Client& client) {
  while (!client.connection.out().empty()) {
    const auto out = client.connection.out();
    const ssize_t gone = ::send(client.socket, out.data(), out.size(), MSG_NOSIGNAL);
    if (gone < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (gone < 0) return client.connection.end_of_output();
    client.connection.sent(static_cast<std::size_t>(gone));
  }
}

/// Refusals, and answers that need no drive, go out at once. Where they have taken the room that the next request needs it is there again
/// then, and nothing else would call for that request.
template <class Connection>
bool SocketClients<Connection>::next_of(Client& client, Request& request) {
  for (;;) {
    const bool found = client.connection.next(request), owed = !client.connection.out().empty();
    send(client);
    const bool has_room_again = owed && client.connection.out().empty();
    if (found || !has_room_again) return found;
  }
}

template <class Connection>
bool SocketClients<Connection>::next(std::uint64_t& client, Request& request) {
  auto at = clients_.upper_bound(last_served_);
  for (std::size_t tried = 0; tried < clients_.size(); ++tried) {
    if (at == clients_.end()) at = clients_.begin();
    if (next_of(at->second, request)) {
      client = last_served_ = at->first;
      return true;
    }
    ++at;
  }
  return false;
}

}  // namespace tessera
