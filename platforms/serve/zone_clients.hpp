#pragma once
// The clients of the zone protocol.
#include "platforms/serve/socket_clients.hpp"
#include "platforms/serve/zone_connection.hpp"

namespace tessera {

using ZoneClients = SocketClients<ZoneConnection>;

}  // namespace tessera
