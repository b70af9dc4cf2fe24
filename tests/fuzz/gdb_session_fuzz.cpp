// A script of what debuggers do at their sockets: connect, send, take answers, stall, half-close, close; and of what their target does:
// run, stop, get another processor, end. Whatever that is, the target is never left standing, what the server holds is bounded, and a
// debugger that has gone leaves no breakpoint.
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <map>
#include <utility>

#include "fuzz/script.hpp"
#include "platforms/gdb/gdb_server.hpp"
#include "unit/gdb/fake_target.hpp"

using namespace tessera;
using tessera::test::demand;

namespace {

/// Answers of one look at the socket on top of those that stop the looking.
constexpr std::size_t most_held = (std::size_t{1} << 20U) + 70 * 2 * GdbPackets::longest;

/// A socket without a name in the file system, of this process.
sockaddr_un place_of(const std::string& name) {
  sockaddr_un place{};
  place.sun_family = AF_UNIX;
  std::copy(name.begin(), name.end(), place.sun_path + 1);
  return place;
}

int listening(const sockaddr_un& place) {
  const int socket = ::socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  demand(::bind(socket, reinterpret_cast<const sockaddr*>(&place), sizeof place) == 0 && ::listen(socket, 4) == 0);
  return socket;
}

/// Points that are set and not cleared.
int points_left(const std::vector<std::string>& asked) {
  std::map<std::string, int> left;
  for (const std::string& words : asked) {
    const std::string point = words.substr(words.find(' '));
    if (words.starts_with("break") || words.starts_with("watch")) left[words[0] == 'b' ? "b" + point : "w" + point] = 1;
    if (words.starts_with("clear") || words.starts_with("unwatch")) left[words[0] == 'c' ? "b" + point : "w" + point] = 0;
  }
  int sum = 0;
  for (const auto& [point, count] : left) sum += count;
  return sum;
}

class Play {
 public:
  explicit Play(test::Script script)
      : script_(script),
        place_(place_of("tessera-gdb-fuzz-" + std::to_string(::getpid()))),
        server_(listening(place_), target_, [this] { return goes_on_without(); }, {.look_ms = 0, .farewell_ms = 0, .between_looks = {}}) {}

  void run() {
    while (!script_.ended()) target_step();
    hang_up();
    for (int stops = 0; server_.has_debugger(); ++stops) {
      demand(stops < 100'000);
      static_cast<void>(server_.wants_stop());
      stop({DebugStop::Reason::interrupt, 0, 0, {}});
    }
    demand(server_.held() == 0);
    demand(points_left(target_.asked) == 0);
  }

 private:
  void target_step() {
    const std::uint8_t what = script_.byte();
    switch (what & 7U) {
      case 0: stop({DebugStop::Reason::begin, 0, 0, {}}); break;
      case 1: stop({DebugStop::Reason::breakpoint, 0, 0, {}}); break;
      case 2: stop({DebugStop::Reason::watchpoint, script_.number(), 8, {}}); break;
      case 3: stop({DebugStop::Reason::fault, 0, 0, std::string(script_.number() % 20'000, 'f')}); break;
      case 4: server_.renewed(); break;
      case 5: server_.exited(what); break;
      case 6: static_cast<void>(server_.wants_stop()); break;
      default: client_step();
    }
    demand(server_.held() <= most_held);
  }

  void stop(const DebugStop& why) {
    looks_ = 0;
    waits_for_a_debugger_ = why.reason == DebugStop::Reason::begin;
    static_cast<void>(server_.stopped(why));
  }

  /// While the target stands still the script goes on at the debugger's end. Behind its end the debugger has gone, and the target must not
  /// be left standing, unless it waits for its first debugger.
  bool goes_on_without() {
    demand(server_.held() <= most_held);
    if (!script_.ended()) {
      client_step();
      return false;
    }
    hang_up();
    const bool enough = ++looks_ > (waits_for_a_debugger_ ? 20 : 1000);
    demand(!enough || waits_for_a_debugger_);
    return enough;
  }

  void hang_up() {
    if (end_ >= 0) ::close(std::exchange(end_, -1));
  }

  void client_step() {
    const std::uint8_t what = script_.byte();
    switch (what & 7U) {
      case 0: return connect();
      case 1: return send(script_.text(what >> 3U));
      case 2: return packet(script_.text(what >> 3U));
      case 3: {
        std::vector<std::byte> chunk(1 + 64 * (what >> 3U));
        if (end_ >= 0) static_cast<void>(::recv(end_, chunk.data(), chunk.size(), 0));
        return;
      }
      case 4:
        if (end_ >= 0) ::shutdown(end_, (what & 8U) != 0 ? SHUT_WR : SHUT_RD);
        return;
      case 5: return hang_up();
      case 6:  // a flood
        for (int i = 0; i < (what >> 3U) * 8; ++i) packet(std::as_bytes(std::span("m1000,100", 9)));
        return;
      default: return;  // a stall
    }
  }

  void connect() {
    if (end_ >= 0) return;
    end_ = ::socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (::connect(end_, reinterpret_cast<const sockaddr*>(&place_), sizeof place_) != 0) ::close(std::exchange(end_, -1));
  }
  void send(std::span<const std::byte> bytes) const {
    if (end_ >= 0) static_cast<void>(::send(end_, bytes.data(), bytes.size(), MSG_NOSIGNAL));
  }
  void packet(std::span<const std::byte> payload) const {
    std::string text = "$";
    unsigned sum = 0;
    for (const std::byte byte : payload) {
      text += static_cast<char>(byte);
      sum += std::to_integer<unsigned>(byte);
    }
    text += "#" + to_hex(std::string(1, static_cast<char>(sum)));
    send(std::as_bytes(std::span(text.data(), text.size())));
  }

  test::Script script_;
  test::FakeTarget target_;
  sockaddr_un place_;
  int end_ = -1;
  bool waits_for_a_debugger_ = false;
  int looks_ = 0;
  GdbServer server_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Play(test::Script(data, size)).run();
  return 0;
}
