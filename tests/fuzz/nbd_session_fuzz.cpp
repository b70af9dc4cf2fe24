// A script of what NBD clients do at their sockets: connect, send, take answers, stall, half-close, close; and of what the drive does:
// answer, fail, lose its power. What the server holds is bounded, requests lie inside the drive, nothing goes round in circles, and when
// all are gone nothing is left.
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <utility>

#include "fuzz/script.hpp"
#include "platforms/serve/nbd_clients.hpp"

using namespace tessera;
using tessera::test::demand;

namespace {

constexpr NbdExport drive{.size = 1U << 20U, .smallest = 512, .preferred = 4096, .largest = 65'536};
constexpr std::size_t most_clients = 3, most_tags = 4;
/// Of a connection: a request that is not whole and a look at its socket, answers of `largest`, and what one look can add to these.
constexpr std::size_t most_held = 2 * drive.largest + 8 * (std::size_t{256} << 10U);

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
    // A turn in which nothing is seen may have dropped what a client wanted that takes no answers: then more is read in the next.
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
      case 2: return haggle(end);
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
  /// As real clients do it, up to the export.
  void haggle(int end) {
    const std::uint8_t how = script_.byte();
    Bytes text;
    constexpr std::uint64_t magic = 0x49484156454f5054;
    const auto option = [&text](std::uint32_t number, const Bytes& data) {
      nbd::put(text, magic);
      nbd::put(text, number);
      nbd::put(text, static_cast<std::uint32_t>(data.size()));
      text.insert(text.end(), data.begin(), data.end());
    };
    nbd::put(text, std::uint32_t{how & 3U});
    if ((how & 4U) != 0) option(8, {});
    if ((how & 8U) != 0) {
      Bytes query(4);
      nbd::put(query, std::uint32_t{1});
      nbd::put(query, std::uint32_t{15});
      for (const char c : std::string_view("base:allocation")) query.push_back(static_cast<std::byte>(c));
      option(10, query);
    }
    option((how & 16U) != 0 ? 7 : 1, (how & 16U) != 0 ? Bytes(6) : Bytes());
    send(end, text);
  }
  void ask(int end) {
    Bytes text;
    nbd::put(text, std::uint32_t{0x25609513});
    nbd::put(text, std::uint16_t{script_.byte()});
    const std::uint8_t command = script_.byte() % 9;
    nbd::put(text, std::uint16_t{command});
    nbd::put(text, cookies_++);
    nbd::put(text, std::uint64_t{script_.byte()} * 4608);
    const std::uint32_t length = 512 * (script_.number() % 160);
    nbd::put(text, command == 3 ? 0U : length);
    if (command == 1) text.resize(text.size() + length, std::byte{1});
    send(end, text);
  }

  /// Whether anything has happened.
  bool look() {
    clients_.sweep();
    std::vector<pollfd> places;
    clients_.watch(places);
    const bool events = !places.empty() && ::poll(places.data(), places.size(), 0) > 0;
    if (events) clients_.handle(places);
    std::pair<std::uint64_t, NbdRequest> next;
    bool asked = false;
    while (under_way_.size() < most_tags && clients_.next(next.first, next.second)) {
      check(next.second);
      under_way_.push_back(next);
      asked = true;
    }
    demand(clients_.held() <= most_held * std::max<std::size_t>(clients_.size(), 1));
    demand(clients_.size() <= most_clients);
    return events || asked;
  }
  static void check(const NbdRequest& request) {
    const bool moves = request.command != NbdCommand::flush;
    demand(request.command <= NbdCommand::block_status && request.command != NbdCommand::disconnect);
    demand(!moves || (request.length > 0 && request.length % drive.smallest == 0 && request.offset % drive.smallest == 0));
    demand(!moves || (request.offset < drive.size && request.length <= drive.size - request.offset));
    demand(request.data.size() == (request.command == NbdCommand::write ? request.length : 0));
  }
  void answer() {
    if (under_way_.empty()) return;
    const std::uint8_t how = script_.byte();
    const std::size_t which = how % under_way_.size();
    const auto [client, request] = under_way_[which];
    under_way_.erase(under_way_.begin() + static_cast<std::ptrdiff_t>(which));
    if ((how & 128U) != 0) return clients_.failed(client, request, NbdError::io, "the drive has a bad day", request.offset);
    if (request.command == NbdCommand::block_status)
      return clients_.status(client, request, std::vector<NbdExtent>{{request.length, NbdExtent::hole}});
    Bytes data(request.command == NbdCommand::read ? request.length : 0, std::byte{how});
    if (data.size() > 4096) data[4096] = std::byte{1};
    clients_.done(client, request, data);
  }
  bool turn() {
    const bool looked = look(), answers = !under_way_.empty();
    answer();
    return looked || answers;
  }

  test::Script script_;
  NbdClients clients_;
  std::array<int, 4> ends_{-1, -1, -1, -1};
  std::vector<std::pair<std::uint64_t, NbdRequest>> under_way_;
  std::uint64_t cookies_ = 0;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Play(test::Script(data, size)).run();
  return 0;
}
