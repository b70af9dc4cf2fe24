#pragma once
// Where a server listens: "unix:PATH", "HOST:PORT" or "PORT" on the loopback interface.
#include <string>

namespace tessera {

struct ListeningPlace {
  std::string option;   ///< of the command line, for messages: "--nbd"
  std::string address;  ///< "": it listens nowhere
};

/// A listening, non-blocking socket, -1 for no address; InputError that names the place where there can be none. `at`: the place for
/// clients, "unix:PATH" or "HOST:PORT".
[[nodiscard]] int listen_at(const ListeningPlace& place, std::string& at);

/// The file of a Unix-domain socket is taken away again.
void stop_listening(int socket, const ListeningPlace& place);

/// The place as a URI of NBD.
[[nodiscard]] std::string nbd_uri(const std::string& at);

}  // namespace tessera
