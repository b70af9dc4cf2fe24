// Whatever a client of the zone protocol sends: each whole request gets one reply, in the order in which they came, requests that reach the
// drive lie inside it, and the pieces in which the bytes come in change nothing. The first byte says how long the pieces are.
#include <algorithm>
#include <utility>

#include "base/address.hpp"
#include "fuzz/script.hpp"
#include "platforms/serve/wire.hpp"
#include "platforms/serve/zone_connection.hpp"

using namespace tessera;
using tessera::test::demand;

namespace {

using Text = std::vector<std::byte>;

constexpr ZonedGeometry drive{.blocks = 2048, .sector_bytes = 4096, .zone_blocks = 256, .largest = 4096};

/// As a client numbers its requests and takes the replies; the data of a read is not kept.
struct Reply {
  std::uint16_t command = 0;
  std::uint16_t status = 0;
  std::uint64_t cookie = 0;
};

/// The status that ends a connection.
constexpr auto last_status = static_cast<std::uint16_t>(ZoneStatus::not_understood);

/// What is to be answered, as the protocol's page says, and nothing else: the command and the cookie of each.
std::vector<Reply> asked(std::span<const std::byte> stream) {
  std::vector<Reply> all;
  while (stream.size() >= zone_wire::header_bytes) {
    const bool is_request = wire::get<std::uint32_t>(stream, 0) == zone_wire::request_magic;
    if (!is_request) {
      all.push_back({0, last_status, 0});
      break;
    }
    const auto command = wire::get<std::uint16_t>(stream, 4);
    const auto cookie = wire::get<std::uint64_t>(stream, 8);
    const bool writes = command == static_cast<std::uint16_t>(ZoneCommand::write);
    const std::uint64_t data = writes ? std::uint64_t{wire::get<std::uint32_t>(stream, 24)} * host_block_bytes : 0;
    if (data > drive.largest) {
      all.push_back({command, last_status, cookie});
      break;
    }
    if (stream.size() < zone_wire::header_bytes + data) break;
    all.push_back({command, 0, cookie});
    stream = stream.subspan(zone_wire::header_bytes + static_cast<std::size_t>(data));
  }
  return all;
}

/// The replies of `out`, which holds whole ones.
std::vector<Reply> replies(std::span<const std::byte> out) {
  std::vector<Reply> all;
  while (!out.empty()) {
    demand(out.size() >= zone_wire::header_bytes && wire::get<std::uint32_t>(out, 0) == zone_wire::reply_magic);
    const Reply reply{wire::get<std::uint16_t>(out, 4), wire::get<std::uint16_t>(out, 6), wire::get<std::uint64_t>(out, 8)};
    demand(reply.status <= last_status);
    const ZoneSense sense = sense_of(static_cast<ZoneStatus>(reply.status));
    demand(ZoneSense{std::to_integer<std::uint8_t>(out[16]), std::to_integer<std::uint8_t>(out[17]),
                     std::to_integer<std::uint8_t>(out[18])} == sense);
    const auto zones = wire::get<std::uint32_t>(out, 20), payload = wire::get<std::uint32_t>(out, 24);
    demand(zones == 0 || payload == zones * zone_wire::descriptor_bytes);
    demand(payload == 0 || reply.status == 0);
    demand(payload <= out.size() - zone_wire::header_bytes);
    out = out.subspan(zone_wire::header_bytes + payload);
    all.push_back(reply);
  }
  return all;
}

void check(const ZoneRequest& request) {
  const bool moves = request.command == ZoneCommand::read || request.command == ZoneCommand::write;
  const bool manages = request.command >= ZoneCommand::open && request.command <= ZoneCommand::reset;
  demand(request.command >= ZoneCommand::read && request.command <= ZoneCommand::reset);
  demand(!request.all_zones || manages);
  demand(request.block < drive.blocks);
  demand(!moves || (request.count != 0 && request.count <= drive.blocks - request.block));
  demand(!moves || std::uint64_t{request.count} * host_block_bytes <= drive.largest);
  demand(moves || request.command == ZoneCommand::report || request.count == 0);
  demand(request.data.size() == (request.command == ZoneCommand::write ? std::size_t{request.count} * host_block_bytes : 0));
}

/// As a drive with every kind of zone, which fails now and then.
void answer(ZoneConnection& connection, const ZoneRequest& request) {
  if (request.cookie % 4 == 3) return connection.failed(request, static_cast<ZoneStatus>(1 + request.cookie / 4 % (last_status - 1)));
  if (request.command != ZoneCommand::report) {
    const std::size_t data = request.command == ZoneCommand::read ? std::size_t{request.count} * host_block_bytes : 0;
    return connection.done(request, Text(data, std::byte{1}));
  }
  std::vector<ZoneDescriptor> zones;
  for (std::uint64_t number = request.block / drive.zone_blocks; number < drive.zones(); ++number)
    zones.push_back({.type = static_cast<ZoneType>(number % 3),
                     .condition = static_cast<ZoneCondition>(number % 8),
                     .start = HostBlock(number * drive.zone_blocks),
                     .blocks = drive.zone_blocks,
                     .pointer = HostBlock(number * drive.zone_blocks)});
  connection.reported(request, zones);
}

/// What the connection sends. Replies go out at once.
Text talk(std::span<const std::byte> stream, std::size_t piece) {
  ZoneConnection connection(drive);
  Text out;
  const auto send = [&] {
    const std::span<const std::byte> next = connection.out();
    out.insert(out.end(), next.begin(), next.end());
    connection.sent(next.size());
    return !next.empty();
  };
  for (std::size_t at = 0; at < stream.size(); at += piece) {
    connection.feed(stream.subspan(at, std::min(piece, stream.size() - at)));
    ZoneRequest request;
    for (bool found = true; found;) {
      found = connection.next(request);
      if (found) {
        check(request);
        answer(connection, std::exchange(request, {}));
      }
      // As SocketClients does: refusals that went out have left room for the next request.
      found |= send();
    }
    demand(connection.reads() || connection.ended());
  }
  connection.end_of_input();
  demand(connection.finished());
  return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::span stream(reinterpret_cast<const std::byte*>(data) + 1, size - 1);
  const Text out = talk(stream, std::size_t{data[0]} + 1);
  demand(out == talk(stream, size));
  const std::vector<Reply> expected = asked(stream), got = replies(out);
  demand(expected.size() == got.size());
  for (std::size_t i = 0; i < got.size(); ++i) {
    demand(got[i].command == expected[i].command && got[i].cookie == expected[i].cookie);
    demand((got[i].status == last_status) == (expected[i].status == last_status));
  }
  return 0;
}
