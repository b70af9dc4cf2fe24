#include "platforms/serve/nbd_server.hpp"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>

#include "platforms/run/stop_signals.hpp"
#include "platforms/serve/nbd_address.hpp"

namespace tessera {

namespace {

constexpr std::chrono::milliseconds farewell{1000};

}  // namespace

NbdServer::NbdServer(const std::string& address) : address_(address), listener_(listen_at(address, uri_)) {
  sigset_t set = stop_signal_set();
  sigaddset(&set, SIGUSR1);
  sigaddset(&set, SIGUSR2);
  ::sigprocmask(SIG_BLOCK, &set, &before_);
  signals_ = ::signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
}

NbdServer::~NbdServer() {
  clients_.disconnect_all();
  stop_listening(listener_, address_);
  while (signal() != 0) {  // one that came twice asks for nothing more
  }
  ::close(signals_);
  ::sigprocmask(SIG_SETMASK, &before_, nullptr);
}

int NbdServer::signal() {
  signalfd_siginfo information{};
  return ::read(signals_, &information, sizeof information) == sizeof information ? static_cast<int>(information.ssi_signo) : 0;
}

void NbdServer::poll(std::optional<std::chrono::nanoseconds> patience) {
  clients_.sweep();
  if (clients_.size() < clients_then_) no_sockets_left_ = false;
  clients_then_ = clients_.size();
  const bool listens = clients_.has_room() && !no_sockets_left_;
  std::vector<pollfd> places{{listens ? listener_ : -1, POLLIN, 0}, {signals_, POLLIN, 0}};
  clients_.watch(places);
  timespec limit{};
  if (patience) {
    limit.tv_sec = static_cast<time_t>(std::chrono::duration_cast<std::chrono::seconds>(*patience).count());
    limit.tv_nsec = static_cast<long>((*patience % std::chrono::seconds(1)).count());
  }
  if (::ppoll(places.data(), places.size(), patience ? &limit : nullptr, nullptr) <= 0) return;
  clients_.handle(std::span(places).subspan(2));
  if ((places[0].revents & POLLIN) != 0) accept();
}

void NbdServer::accept() {
  while (clients_.has_room()) {
    const int socket = ::accept4(listener_, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (socket < 0) {
      no_sockets_left_ = errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM;
      return;
    }
    const int yes = 1;  // answers are small, and waited for; a machine that vanishes is noticed in the end
    static_cast<void>(::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes));
    static_cast<void>(::setsockopt(socket, SOL_SOCKET, SO_KEEPALIVE, &yes, sizeof yes));
    clients_.add(socket);
  }
}

void NbdServer::say_farewell() {
  const auto end = std::chrono::steady_clock::now() + farewell;
  for (auto now = end - farewell; clients_.owes() && now < end; now = std::chrono::steady_clock::now()) {
    std::vector<pollfd> places;
    clients_.watch(places);
    for (pollfd& place : places)
      if ((place.events &= POLLOUT) == 0) place.fd = -1;
    if (::poll(places.data(), places.size(), static_cast<int>(std::chrono::duration_cast<std::chrono::milliseconds>(end - now).count())) <=
        0)
      break;
    clients_.handle(places);
  }
  clients_.disconnect_all();
}

}  // namespace tessera
