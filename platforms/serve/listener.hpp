#pragma once
// A listening socket and the clients of its protocol. One thread, nothing blocks.
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

#include <cerrno>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "platforms/serve/server_address.hpp"

namespace tessera {

template <class Clients>
class Listener {
 public:
  /// InputError where it cannot listen.
  explicit Listener(ListeningPlace place) : place_(std::move(place)), socket_(listen_at(place_, at_)) {}
  ~Listener() {
    clients_.disconnect_all();
    stop_listening(socket_, place_);
  }
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  /// "unix:PATH" or "HOST:PORT"; "" where it listens nowhere.
  [[nodiscard]] const std::string& at() const { return at_; }
  [[nodiscard]] Clients& clients() { return clients_; }

  /// Appends what is to be waited for, and returns how many places that is; handle() takes what has happened in the same places.
  std::size_t watch(std::vector<pollfd>& places) {
    clients_.sweep();
    if (clients_.size() < clients_then_) no_sockets_left_ = false;
    clients_then_ = clients_.size();
    const std::size_t before = places.size();
    places.push_back({clients_.has_room() && !no_sockets_left_ ? socket_ : -1, POLLIN, 0});
    clients_.watch(places);
    return places.size() - before;
  }
  void handle(std::span<const pollfd> places) {
    clients_.handle(places.subspan(1));
    if ((places[0].revents & POLLIN) != 0) accept();
  }

 private:
  void accept() {
    while (clients_.has_room()) {
      const int socket = ::accept4(socket_, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
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

  ListeningPlace place_;
  std::string at_;
  int socket_;
  Clients clients_;
  bool no_sockets_left_ = false;  ///< the system has none, until a client leaves
  std::size_t clients_then_ = 0;
};

}  // namespace tessera
