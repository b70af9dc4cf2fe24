#include "platforms/gdb/gdb_server.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <string>
#include <utility>

#include "base/error.hpp"

namespace tessera {

namespace {

constexpr std::chrono::milliseconds between_looks{1};
/// How often somebody who waits looks whether the program was asked to end.
constexpr int patience_ms = 200;
/// Answers that a debugger does not take: above this nothing more is read from it.
constexpr std::size_t most_held = 1U << 20U;
/// A debugger that goes away takes the rest of what was sent to it, within this.
constexpr int farewell_ms = 1000;

}  // namespace

GdbServer::GdbServer(std::uint16_t port, DebugTarget& target, std::function<bool()> gives_up)
    : target_(&target), gives_up_(std::move(gives_up)), listener_(::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)) {
  sockaddr_in place{};
  place.sin_family = AF_INET;
  place.sin_port = htons(port);
  place.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const int again = 1;
  ::setsockopt(listener_, SOL_SOCKET, SO_REUSEADDR, &again, sizeof again);
  socklen_t length = sizeof place;
  if (::bind(listener_, reinterpret_cast<const sockaddr*>(&place), sizeof place) != 0 || ::listen(listener_, 1) != 0 ||
      ::getsockname(listener_, reinterpret_cast<sockaddr*>(&place), &length) != 0) {
    const int error = errno;
    ::close(listener_);
    throw InputError("--gdb " + std::to_string(port) + ": " + std::strerror(error));
  }
  port_ = ntohs(place.sin_port);
}

GdbServer::~GdbServer() {
  disconnect();
  ::close(listener_);
}

Resume GdbServer::stopped(const DebugStop& stop) {
  if (client_) client_->session.stopped(stop);
  while (!gives_up_() && (client_ || stop.reason == DebugStop::Reason::begin)) {
    if (!client_) {
      exchange(patience_ms);
      continue;
    }
    if (std::exchange(has_come_, false)) client_->session.stopped(stop);
    while (auto packet = client_->packets.next()) {
      const auto wanted = client_->session.serve(*packet);
      send();
      if (!wanted) continue;
      if (client_->session.detached() || *wanted == Resume::end) disconnect();
      return *wanted;
    }
    static_cast<void>(client_->packets.interrupted());  // it stands still already
    exchange(patience_ms);
  }
  return Resume::run;
}

bool GdbServer::wants_stop() {
  const auto now = Clock::now();
  if (now - looked_ < between_looks) return false;
  looked_ = now;
  exchange(0);
  const bool interrupted = client_ && client_->packets.interrupted();
  return std::exchange(has_come_, false) || interrupted;
}

void GdbServer::renewed() {
  if (client_) client_->session.set_points_again();
}

void GdbServer::exited(int status) {
  if (!client_) return;
  client_->session.exited(status);
  disconnect();
}

void GdbServer::exchange(int milliseconds) {
  std::array<pollfd, 2> descriptors{pollfd{listener_, POLLIN, 0}, pollfd{-1, 0, 0}};
  if (client_) {
    const bool writes = !client_->packets.out().empty();
    const bool reads = client_->packets.out().size() < most_held;
    descriptors[1] = {client_->socket, static_cast<short>((reads ? POLLIN : 0) | (writes ? POLLOUT : 0)), 0};
  }
  if (::poll(descriptors.data(), descriptors.size(), milliseconds) <= 0) return;
  if ((descriptors[1].revents & POLLOUT) != 0) send();
  if (client_ && (descriptors[1].revents & (POLLIN | POLLHUP | POLLERR)) != 0) receive();
  if ((descriptors[0].revents & POLLIN) != 0) accept();
}

/// A second debugger finds the door shut.
void GdbServer::accept() {
  const int socket = ::accept4(listener_, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
  if (socket < 0) return;
  if (client_) {
    ::close(socket);
    return;
  }
  const int at_once = 1;  // packets are small, and waited for
  ::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &at_once, sizeof at_once);
  client_.emplace(socket, *target_);
  has_come_ = true;
}

void GdbServer::receive() {
  std::array<char, 4096> chunk{};
  const ssize_t got = ::recv(client_->socket, chunk.data(), chunk.size(), 0);
  if (got > 0) {
    client_->packets.feed({chunk.data(), static_cast<std::size_t>(got)});
    send();  // acknowledgements
  } else if (got == 0 || (errno != EAGAIN && errno != EINTR)) {
    disconnect();
  }
}

void GdbServer::send() {
  while (client_ && !client_->packets.out().empty()) {
    const auto out = client_->packets.out();
    const ssize_t gone = ::send(client_->socket, out.data(), out.size(), MSG_NOSIGNAL);
    if (gone > 0) {
      client_->packets.sent(static_cast<std::size_t>(gone));
    } else if (errno == EAGAIN || errno == EINTR) {
      return;
    } else {
      client_->packets.sent(out.size());  // nobody is there to take it
      disconnect();
    }
  }
}

void GdbServer::disconnect() {
  if (!client_) return;
  client_->session.forget();
  pollfd descriptor{client_->socket, POLLOUT, 0};
  if (!client_->packets.out().empty() && ::poll(&descriptor, 1, farewell_ms) > 0) {
    const auto out = client_->packets.out();
    static_cast<void>(::send(client_->socket, out.data(), out.size(), MSG_NOSIGNAL));
  }
  ::close(client_->socket);
  client_.reset();
}

}  // namespace tessera
