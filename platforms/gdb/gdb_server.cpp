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

/// Answers that a debugger does not take: above this nothing more is read from it.
constexpr std::size_t most_held = 1U << 20U;
/// Packets that are not served yet: as for answers. GDB waits for each answer, so that more are somebody else's.
constexpr std::size_t most_waiting = 64;

}  // namespace

GdbServer::GdbServer(std::uint16_t port, DebugTarget& target, std::function<bool()> gives_up)
    : GdbServer(::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0), target, std::move(gives_up), Patience()) {
  sockaddr_in place{};
  place.sin_family = AF_INET;
  place.sin_port = htons(port);
  place.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const int again = 1;
  ::setsockopt(listener_, SOL_SOCKET, SO_REUSEADDR, &again, sizeof again);
  socklen_t length = sizeof place;
  if (::bind(listener_, reinterpret_cast<const sockaddr*>(&place), sizeof place) != 0 || ::listen(listener_, 1) != 0 ||
      ::getsockname(listener_, reinterpret_cast<sockaddr*>(&place), &length) != 0)
    throw InputError("--gdb " + std::to_string(port) + ": " + std::strerror(errno));
  port_ = ntohs(place.sin_port);
}

GdbServer::GdbServer(int listener, DebugTarget& target, std::function<bool()> gives_up, Patience patience)
    : target_(&target), gives_up_(std::move(gives_up)), patience_(patience), listener_(listener) {}

/// The target may be gone already: nothing is asked of it.
GdbServer::~GdbServer() {
  if (client_) say_farewell();
  ::close(listener_);
}

Resume GdbServer::stopped(const DebugStop& stop) {
  bool waits = stop.reason == DebugStop::Reason::begin;  // for the first debugger that says something
  if (client_) client_->session.stopped(stop);
  while (!gives_up_()) {
    drop_if_gone();
    if (!client_) {
      if (!waits) break;
      exchange(patience_.look_ms);
      continue;
    }
    if (std::exchange(has_come_, false)) client_->session.stopped(stop);
    while (auto packet = client_->packets.next()) {
      waits = false;
      const auto wanted = client_->session.serve(*packet);
      send();
      if (!wanted) continue;
      if (client_->session.detached() || *wanted == Resume::end) disconnect();
      return *wanted;
    }
    static_cast<void>(client_->packets.interrupted());  // it stands still already
    if (!client_->gone) exchange(patience_.look_ms);
  }
  return Resume::run;
}

bool GdbServer::wants_stop() {
  const auto now = Clock::now();
  if (now - looked_ < patience_.between_looks) return false;
  looked_ = now;
  exchange(0);
  drop_if_gone();
  const bool interrupted = client_ && client_->packets.interrupted();
  const bool left_words = client_ && client_->gone;  // packets that nobody would ever serve otherwise
  return std::exchange(has_come_, false) || interrupted || left_words;
}

void GdbServer::renewed() {
  if (client_) client_->session.set_points_again();
}

void GdbServer::exited(int status) {
  if (!client_) return;
  client_->session.exited(status);
  disconnect();
}

/// Marks a client that has gone, and leaves it to the callers of drop_if_gone() to end it: who calls this may be using it.
void GdbServer::exchange(int milliseconds) {
  std::array<pollfd, 2> descriptors{pollfd{listener_, POLLIN, 0}, pollfd{-1, 0, 0}};
  if (client_ && !client_->gone) {
    const bool writes = !client_->packets.out().empty();
    const bool reads = client_->packets.out().size() < most_held && client_->packets.waiting() < most_waiting;
    descriptors[1] = {client_->socket, static_cast<short>((reads ? POLLIN : 0) | (writes ? POLLOUT : 0)), 0};
  }
  if (::poll(descriptors.data(), descriptors.size(), milliseconds) <= 0) return;
  if ((descriptors[1].revents & POLLOUT) != 0) send();
  if ((descriptors[1].revents & (POLLIN | POLLHUP | POLLERR)) != 0) receive();
  const bool is_to_be_dropped = client_ && client_->gone;  // before the next one is let in
  if ((descriptors[0].revents & POLLIN) != 0 && !is_to_be_dropped) accept();
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
    client_->gone = true;
  }
}

/// The client is still there afterwards, if only to say that it has gone.
void GdbServer::send() {
  while (!client_->packets.out().empty()) {
    const auto out = client_->packets.out();
    const ssize_t taken = client_->takes_nothing ? -1 : ::send(client_->socket, out.data(), out.size(), MSG_NOSIGNAL);
    if (taken > 0) {
      client_->packets.sent(static_cast<std::size_t>(taken));
      continue;
    }
    if (!client_->takes_nothing && (errno == EAGAIN || errno == EINTR)) return;
    client_->takes_nothing = true;  // what it said before may still be there to be read, up to its end
    client_->packets.sent(out.size());
  }
}

/// What it had sent whole is served first.
void GdbServer::drop_if_gone() {
  if (client_ && client_->gone && client_->packets.waiting() == 0) disconnect();
}

void GdbServer::disconnect() {
  client_->session.forget();
  say_farewell();
  client_.reset();
}

/// A client that takes nothing at all keeps nobody waiting for longer than this.
void GdbServer::say_farewell() {
  send();
  pollfd descriptor{client_->socket, POLLOUT, 0};
  if (!client_->packets.out().empty() && ::poll(&descriptor, 1, patience_.farewell_ms) > 0) send();
  ::close(client_->socket);
}

}  // namespace tessera
