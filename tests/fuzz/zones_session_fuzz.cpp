// A script of what clients of the zone protocol do at their sockets: connect, send, take replies, stall, half-close, close; and of what the
// drive does: answer, fail, lose its power. What the server holds is bounded, requests lie inside the drive, nothing goes round in circles,
// and when all are gone nothing is left.
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <utility>

#include "base/address.hpp"
#include "fuzz/script.hpp"
#include "platforms/serve/wire.hpp"
#include "platforms/serve/zone_clients.hpp"

using namespace tessera;
using tessera::test::demand;

namespace {

constexpr ZonedGeometry drive{.blocks = 16'384, .sector_bytes = 4096, .zone_blocks = 128, .largest = 65'536};
constexpr std::size_t most_clients = 3, most_tags = 40;
/// Of a connection: a request that is not whole and a look at its socket; replies of `largest`, or a single one, with the headers of those
/// that were under way and one of geometry.
constexpr std::size_t a_look = std::size_t{256} << 10U, headers = zone_wire::header_bytes * (most_tags + 1);
constexpr std::size_t most_held = (zone_wire::header_bytes + drive.largest + a_look) + (drive.largest + headers + 40);

class Play {
 public:
  explicit Play(test::Script script) : script_(script), clients_(most_clients) { clients_.offer(drive); }
  ~Play() {
    for (const int end : ends_)
      if (end >= 0) ::close(end);
  }

  void run() {
    while (!script_.ended()) step();
    for (int& end : ends_)
      if (end >= 0) ::close(std::exchange(end, -1));
    // A turn in which nothing is seen may have dropped what a client wanted that takes no replies: then more is read in the next.
    for (int turns = 0, idle = 0; idle < 2; ++turns) {
      demand(turns < 100'000);
      idle = turn() ? 0 : idle + 1;
    }
    clients_.sweep();
    demand(clients_.size() == 0 && clients_.held() == 0);
  }

 private:
  using Bytes = std::vector<std::byte>;

  void step() {
    const std::uint8_t what = script_.byte();
    int& end = ends_[(what >> 4U) % ends_.size()];
    switch (what & 15U) {
      case 0: return connect(end, script_.byte());
      case 1: return send(end, script_.text(script_.byte()));
      case 2: return ask_much(end, 4 * std::uint32_t{script_.byte()});
      case 3: return ask(end);
      case 4: return take(end, 64 * std::size_t{script_.byte()});
      case 5: return half_close(end, SHUT_WR);
      case 6: return half_close(end, SHUT_RD);
      case 7:
        if (end >= 0) ::close(std::exchange(end, -1));
        return;
      case 8: under_way_.clear(); return clients_.disconnect_all();
      case 9: return answer();
      case 10: return send(end, Bytes(64 * std::size_t{script_.byte()}, std::byte{script_.byte()}));
      default: static_cast<void>(look());
    }
  }

  void connect(int& end, std::uint8_t size) {
    if (end >= 0 || !clients_.has_room()) return;
    std::array<int, 2> pair{};
    demand(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, pair.data()) == 0);
    const int buffer = 1024 * (1 + size);
    for (const int side : pair) ::setsockopt(side, SOL_SOCKET, SO_SNDBUF, &buffer, sizeof buffer);
    clients_.add(pair[0]);
    end = pair[1];
  }
  static void send(int end, std::span<const std::byte> bytes) {
    if (end >= 0) static_cast<void>(::send(end, bytes.data(), bytes.size(), MSG_NOSIGNAL));
  }
  static void half_close(int end, int how) {
    if (end >= 0) ::shutdown(end, how);
  }
  static void take(int end, std::size_t bytes) {
    Bytes chunk(bytes + 1);
    if (end >= 0) static_cast<void>(::recv(end, chunk.data(), chunk.size(), 0));
  }

  void put(Bytes& text, std::uint16_t command, std::uint16_t flags, std::uint64_t block, std::uint32_t count) {
    wire::put(text, zone_wire::request_magic);
    wire::put(text, command);
    wire::put(text, flags);
    wire::put(text, cookies_++);
    wire::put(text, block);
    wire::put(text, count);
    wire::put(text, std::uint32_t{0});
  }
  void ask(int end) {
    Bytes text;
    const auto command = static_cast<std::uint16_t>(script_.byte() % 11);
    const std::uint8_t how = script_.byte();
    const bool moves = command == 2 || command == 3;
    const std::uint32_t count = moves ? script_.number() % 160 : command == 5 ? script_.number() : how & 2U;
    put(text, command, how & 1U, (how >> 2U) * drive.zone_blocks * 2, count);
    if (command == 3) text.resize(text.size() + std::size_t{count} * host_block_bytes, std::byte{1});
    send(end, text);
  }
  /// Geometry again and again, whose replies are larger than the questions.
  void ask_much(int end, std::uint32_t times) {
    Bytes text;
    for (std::uint32_t i = 0; i < times; ++i) put(text, static_cast<std::uint16_t>(ZoneCommand::geometry), 0, 0, 0);
    send(end, text);
  }

  /// Whether anything has happened.
  bool look() {
    clients_.sweep();
    std::vector<pollfd> places;
    clients_.watch(places);
    const bool events = !places.empty() && ::poll(places.data(), places.size(), 0) > 0;
    if (events) clients_.handle(places);
    std::pair<std::uint64_t, ZoneRequest> next;
    bool asked = false;
    while (under_way_.size() < most_tags && clients_.next(next.first, next.second)) {
      check(next.second);
      under_way_.push_back(std::exchange(next, {}));
      asked = true;
    }
    demand(clients_.held() <= most_held * std::max<std::size_t>(clients_.size(), 1));
    demand(clients_.size() <= most_clients);
    return events || asked;
  }
  static void check(const ZoneRequest& request) {
    const bool moves = request.command == ZoneCommand::read || request.command == ZoneCommand::write;
    demand(request.command >= ZoneCommand::read && request.command <= ZoneCommand::reset);
    demand(request.block < drive.blocks);
    demand(!moves || (request.count != 0 && request.count <= drive.blocks - request.block));
    demand(!moves || std::uint64_t{request.count} * host_block_bytes <= drive.largest);
    demand(request.data.size() == (request.command == ZoneCommand::write ? std::size_t{request.count} * host_block_bytes : 0));
  }
  void answer() {
    if (under_way_.empty()) return;
    const std::uint8_t how = script_.byte();
    const auto at = under_way_.begin() + how % static_cast<std::ptrdiff_t>(under_way_.size());
    const std::uint64_t client = at->first;
    const ZoneRequest request = std::move(at->second);
    under_way_.erase(at);
    clients_.answer(client, [&](ZoneConnection& connection) {
      if ((how & 128U) != 0) return connection.failed(request, ZoneStatus::internal);
      if (request.command == ZoneCommand::report)
        return connection.reported(request,
                                   Zones(std::min<std::uint64_t>(request.count, drive.zones() - request.block / drive.zone_blocks)));
      connection.done(request, Bytes(request.command == ZoneCommand::read ? std::size_t{request.count} * host_block_bytes : 0));
    });
  }
  using Zones = std::vector<ZoneDescriptor>;
  bool turn() {
    const bool looked = look(), answers = !under_way_.empty();
    answer();
    return looked || answers;
  }

  test::Script script_;
  ZoneClients clients_;
  std::array<int, 4> ends_{-1, -1, -1, -1};
  std::vector<std::pair<std::uint64_t, ZoneRequest>> under_way_;
  std::uint64_t cookies_ = 0;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Play(test::Script(data, size)).run();
  return 0;
}
