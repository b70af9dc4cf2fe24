#pragma once
// The clients of the NBD protocol.
#include <optional>
#include <string_view>

#include "platforms/serve/nbd_connection.hpp"
#include "platforms/serve/socket_clients.hpp"

namespace tessera {

class NbdClients : public SocketClients<NbdConnection> {
 public:
  using SocketClients::SocketClients;

  void done(std::uint64_t client, const NbdRequest& request, std::span<const std::byte> data = {}) {
    answer(client, [&](NbdConnection& connection) { connection.done(request, data); });
  }
  void failed(std::uint64_t client, const NbdRequest& request, NbdError error, std::string_view why,
              std::optional<std::uint64_t> at = std::nullopt) {
    answer(client, [&](NbdConnection& connection) { connection.failed(request, error, why, at); });
  }
  void status(std::uint64_t client, const NbdRequest& request, std::span<const NbdExtent> extents) {
    answer(client, [&](NbdConnection& connection) { connection.status(request, extents); });
  }
};

}  // namespace tessera
