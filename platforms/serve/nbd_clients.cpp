#include "platforms/serve/nbd_clients.hpp"

#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace tessera {

NbdClients::Clients::const_iterator NbdClients::still_haggling() const {
  return std::ranges::find_if(clients_, [](const auto& client) { return !client.second.connection.agreed(); });
}

bool NbdClients::has_room() const { return clients_.size() < most_ || still_haggling() != clients_.end(); }

void NbdClients::add(int socket) {
  if (clients_.size() >= most_)
    if (const auto oldest = still_haggling(); oldest != clients_.end()) close(clients_.find(oldest->first));
  send(clients_.emplace(++numbers_, Client{socket, NbdConnection(export_)}).first->second);
}

void NbdClients::sweep() {
  for (auto client = clients_.begin(); client != clients_.end();)
    client = client->second.connection.finished() ? close(client) : std::next(client);
}

/// One that nothing is wanted of is not looked at: its end would be seen again and again.
void NbdClients::watch(std::vector<pollfd>& places) const {
  for (const auto& [number, client] : clients_) {
    const bool reads = client.connection.reads(), writes = !client.connection.out().empty();
    places.push_back({reads || writes ? client.socket : -1, static_cast<short>((reads ? POLLIN : 0) | (writes ? POLLOUT : 0)), 0});
  }
}

void NbdClients::handle(std::span<const pollfd> places) {
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

void NbdClients::receive(Client& client) {
  const ssize_t got = ::recv(client.socket, chunk_.data(), chunk_.size(), 0);
  if (got > 0)
    client.connection.feed(std::span(chunk_).first(static_cast<std::size_t>(got)));
  else if (got == 0 || (errno != EAGAIN && errno != EINTR))
    client.connection.end_of_input();
}

void NbdClients::send(Client& client) {
  while (!client.connection.out().empty()) {
    const auto out = client.connection.out();
    const ssize_t gone = ::send(client.socket, out.data(), out.size(), MSG_NOSIGNAL);
    if (gone < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (gone < 0) return client.connection.end_of_output();
    client.connection.sent(static_cast<std::size_t>(gone));
  }
}

/// Refusals, and answers of the haggling, go out at once. Where they have taken the room that the next request needs it is there again
/// then, and nothing else would call for that request.
bool NbdClients::next_of(Client& client, NbdRequest& request) {
  for (;;) {
    const bool found = client.connection.next(request), owed = !client.connection.out().empty();
    send(client);
    const bool has_room_again = owed && client.connection.out().empty();
    if (found || !has_room_again) return found;
  }
}

bool NbdClients::next(std::uint64_t& client, NbdRequest& request) {
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

void NbdClients::done(std::uint64_t client, const NbdRequest& request, std::span<const std::byte> data) {
  const auto at = clients_.find(client);
  if (at == clients_.end()) return;
  at->second.connection.done(request, data);
  send(at->second);
}

void NbdClients::failed(std::uint64_t client, const NbdRequest& request, NbdError error, std::string_view why,
                        std::optional<std::uint64_t> at_byte) {
  const auto at = clients_.find(client);
  if (at == clients_.end()) return;
  at->second.connection.failed(request, error, why, at_byte);
  send(at->second);
}

void NbdClients::status(std::uint64_t client, const NbdRequest& request, std::span<const NbdExtent> extents) {
  const auto at = clients_.find(client);
  if (at == clients_.end()) return;
  at->second.connection.status(request, extents);
  send(at->second);
}

NbdClients::Clients::iterator NbdClients::close(Clients::iterator client) {
  ::close(client->second.socket);
  return clients_.erase(client);
}

void NbdClients::disconnect_all() {
  while (!clients_.empty()) close(clients_.begin());
}

bool NbdClients::owes() const {
  return std::ranges::any_of(clients_, [](const auto& client) { return !client.second.connection.out().empty(); });
}

std::size_t NbdClients::held() const {
  std::size_t bytes = 0;
  for (const auto& [number, client] : clients_) bytes += client.connection.held();
  return bytes;
}

}  // namespace tessera
