#include "platforms/serve/server_address.hpp"

#include <netdb.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "base/error.hpp"

namespace tessera {

namespace {

constexpr std::string_view unix_prefix = "unix:";
constexpr int backlog = 128;

InputError refused(const ListeningPlace& place, const std::string& why) {
  return InputError(place.option + " " + place.address + ": " + why);
}

std::string path_of(const std::string& address) {
  return address.starts_with(unix_prefix) ? address.substr(unix_prefix.size()) : std::string();
}

/// Whether somebody serves there: a file that nobody answers at was left behind.
bool answered(const sockaddr_un& place) {
  const int probe = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const bool there = ::connect(probe, reinterpret_cast<const sockaddr*>(&place), sizeof place) == 0;
  ::close(probe);
  return there;
}

int listen_at_path(const ListeningPlace& wanted, std::string& at) {
  sockaddr_un place{};
  place.sun_family = AF_UNIX;
  const std::string path = path_of(wanted.address);
  if (path.empty() || path.size() >= sizeof place.sun_path)
    throw refused(wanted, "expected a path of 1 to " + std::to_string(sizeof place.sun_path - 1) + " characters");
  std::copy(path.begin(), path.end(), place.sun_path);
  if (std::filesystem::is_socket(path)) {
    if (answered(place)) throw refused(wanted, "another server listens there");
    std::filesystem::remove(path);
  }
  const int listener = ::socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (::bind(listener, reinterpret_cast<const sockaddr*>(&place), sizeof place) != 0) throw refused(wanted, std::strerror(errno));
  at = wanted.address;
  return listener;
}

int listen_at_port(const ListeningPlace& wanted, std::string& at) {
  const std::string& address = wanted.address;
  const std::size_t colon = address.rfind(':');
  const std::string host = colon == std::string::npos || colon == 0 ? "127.0.0.1" : address.substr(0, colon);
  const std::string port = colon == std::string::npos ? address : address.substr(colon + 1);
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_NUMERICSERV | AI_PASSIVE;
  addrinfo* found = nullptr;
  if (const int error = ::getaddrinfo(host.c_str(), port.c_str(), &hints, &found); error != 0)
    throw refused(wanted, std::string("expected unix:PATH, HOST:PORT or PORT; ") + ::gai_strerror(error));
  const int listener = ::socket(found->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  const int again = 1;
  ::setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &again, sizeof again);
  const int bound = ::bind(listener, found->ai_addr, found->ai_addrlen);
  const int error = errno;
  ::freeaddrinfo(found);
  if (bound != 0) throw refused(wanted, std::strerror(error));
  at = host + ":" + port;
  return listener;
}

}  // namespace

int listen_at(const ListeningPlace& place, std::string& at) {
  if (place.address.empty()) return -1;
  const int listener = place.address.starts_with(unix_prefix) ? listen_at_path(place, at) : listen_at_port(place, at);
  if (::listen(listener, backlog) != 0) throw refused(place, std::strerror(errno));
  return listener;
}

void stop_listening(int socket, const ListeningPlace& place) {
  if (socket >= 0) ::close(socket);
  if (const std::string path = path_of(place.address); !path.empty()) ::unlink(path.c_str());
}

std::string nbd_uri(const std::string& at) {
  const std::string path = path_of(at);
  return path.empty() ? "nbd://" + at : "nbd+unix:///?socket=" + path;
}

}  // namespace tessera
