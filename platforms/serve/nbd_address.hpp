#pragma once
// Where the NBD server listens: "unix:PATH", "HOST:PORT" or "PORT" on the loopback interface.
#include <string>

namespace tessera {

/// A listening, non-blocking socket; InputError that names `address` where there can be none. `uri`: what clients are given.
[[nodiscard]] int listen_at(const std::string& address, std::string& uri);

/// The file of a Unix-domain socket is taken away again.
void stop_listening(int socket, const std::string& address);

}  // namespace tessera
