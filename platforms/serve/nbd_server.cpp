#include "platforms/serve/nbd_server.hpp"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>

#include "platforms/run/stop_signals.hpp"
#include "platforms/serve/nbd_address.hpp"

namespace tessera {

namespace {

constexpr std::size_t chunk_bytes = 256U << 10U;
/// Answers that a client does not take, or requests that wait for the drive: above this nothing more is read from it.
constexpr std::size_t most_held = 64U << 20U;

}  // namespace

NbdServer::NbdServer(const std::string& address) : address_(address), listener_(listen_at(address, uri_)), chunk_(chunk_bytes) {
  sigset_t set = stop_signal_set();
  sigaddset(&set, SIGUSR1);
  ::sigprocmask(SIG_BLOCK, &set, &before_);
  signals_ = ::signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
}

NbdServer::~NbdServer() {
  disconnect_all();
  stop_listening(listener_, address_);
  ::close(signals_);
  ::sigprocmask(SIG_SETMASK, &before_, nullptr);
}

int NbdServer::signal() {
  signalfd_siginfo information{};
  return ::read(signals_, &information, sizeof information) == sizeof information ? static_cast<int>(information.ssi_signo) : 0;
}

void NbdServer::poll(std::optional<std::chrono::nanoseconds> patience) {
  for (auto client = clients_.begin(); client != clients_.end();) {
    const auto here = client++;
    if (here->second.connection.ended() && here->second.connection.out().empty()) close(here);
  }
  std::vector<pollfd> descriptors{{listener_, POLLIN, 0}, {signals_, POLLIN, 0}};
  for (const auto& [number, client] : clients_) {
    const bool reads = !client.connection.ended() && client.connection.out().size() < most_held && client.connection.waiting() < most_held;
    const bool writes = !client.connection.out().empty();
    descriptors.push_back({client.socket, static_cast<short>((reads ? POLLIN : 0) | (writes ? POLLOUT : 0)), 0});
  }
  timespec limit{};
  if (patience) {
    limit.tv_sec = static_cast<time_t>(std::chrono::duration_cast<std::chrono::seconds>(*patience).count());
    limit.tv_nsec = static_cast<long>((*patience % std::chrono::seconds(1)).count());
  }
  if (::ppoll(descriptors.data(), descriptors.size(), patience ? &limit : nullptr, nullptr) <= 0) return;
  auto client = clients_.begin();
  for (std::size_t i = 2; i < descriptors.size(); ++i) {
    const auto here = client++;
    const short what = descriptors[i].revents;
    bool alive = (what & (POLLERR | POLLNVAL)) == 0;
    if (alive && (what & POLLOUT) != 0) alive = send(here->second);
    if (alive && (what & (POLLIN | POLLHUP)) != 0) alive = receive(here->second);
    if (!alive) close(here);
  }
  if ((descriptors[0].revents & POLLIN) != 0) accept();
}

void NbdServer::accept() {
  for (int socket = ::accept4(listener_, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC); socket >= 0;
       socket = ::accept4(listener_, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC)) {
    const int at_once = 1;  // answers are small, and waited for
    static_cast<void>(::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &at_once, sizeof at_once));
    const auto added = clients_.emplace(++numbers_, Client{socket, NbdConnection(export_)}).first;
    if (!send(added->second)) close(added);
  }
}

bool NbdServer::receive(Client& client) {
  const ssize_t got = ::recv(client.socket, chunk_.data(), chunk_.size(), 0);
  if (got < 0) return errno == EAGAIN || errno == EINTR;
  client.connection.feed(std::span(chunk_).first(static_cast<std::size_t>(got)));
  return got != 0;
}

bool NbdServer::send(Client& client) {
  while (!client.connection.out().empty()) {
    const auto out = client.connection.out();
    const ssize_t gone = ::send(client.socket, out.data(), out.size(), MSG_NOSIGNAL);
    if (gone < 0) return errno == EAGAIN || errno == EINTR;
    client.connection.sent(static_cast<std::size_t>(gone));
  }
  return true;
}

bool NbdServer::next(std::uint64_t& client, NbdRequest& request) {
  auto at = clients_.upper_bound(last_served_);
  for (std::size_t tried = 0; tried < clients_.size(); ++tried) {
    if (at == clients_.end()) at = clients_.begin();
    if (at->second.connection.next(request)) {
      client = last_served_ = at->first;
      return true;
    }
    ++at;
  }
  return false;
}

void NbdServer::reply(std::uint64_t client, std::uint64_t cookie, NbdError error, std::span<const std::byte> data) {
  const auto at = clients_.find(client);
  if (at == clients_.end()) return;
  at->second.connection.reply(cookie, error, data);
  if (!send(at->second)) close(at);
}

void NbdServer::close(std::map<std::uint64_t, Client>::iterator client) {
  ::close(client->second.socket);
  clients_.erase(client);
}

void NbdServer::disconnect_all() {
  while (!clients_.empty()) close(clients_.begin());
}

}  // namespace tessera
