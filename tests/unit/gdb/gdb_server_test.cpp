// The server at a real socket: what is sent before it is served waits there, so that one thread plays both.
#include "platforms/gdb/gdb_server.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>
#include <algorithm>
#include <catch2/catch.hpp>
#include <optional>

#include "base/error.hpp"
#include "unit/gdb/fake_target.hpp"

using namespace tessera;

namespace {

using Reason = DebugStop::Reason;

class Debugger {
 public:
  explicit Debugger(std::uint16_t port) : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in place{};
    place.sin_family = AF_INET;
    place.sin_port = htons(port);
    place.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    REQUIRE(::connect(socket_, reinterpret_cast<const sockaddr*>(&place), sizeof place) == 0);
  }
  ~Debugger() {
    if (socket_ >= 0) ::close(socket_);
  }
  Debugger(const Debugger&) = delete;
  Debugger& operator=(const Debugger&) = delete;

  void send(std::string_view bytes) const {
    REQUIRE(::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(bytes.size()));
  }
  /// How much of it there is room for.
  [[nodiscard]] std::size_t send_what_fits(std::string_view bytes) const {
    const ssize_t gone = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    return gone < 0 ? 0 : static_cast<std::size_t>(gone);
  }
  void half_close() const { ::shutdown(socket_, SHUT_WR); }
  /// A reset instead of an orderly end.
  void reset() {
    const linger at_once{1, 0};
    ::setsockopt(socket_, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    ::close(socket_);
    socket_ = -1;
  }
  /// What has come; "closed" behind it where the server has hung up.
  [[nodiscard]] std::string received() const {
    std::string all;
    pollfd descriptor{socket_, POLLIN, 0};
    while (::poll(&descriptor, 1, all.empty() ? 5000 : 0) > 0) {
      char chunk[512];
      const ssize_t got = ::recv(socket_, chunk, sizeof chunk, 0);
      if (got <= 0) return all + "closed";
      all.append(chunk, static_cast<std::size_t>(got));
    }
    return all;
  }

 private:
  int socket_;
};

std::string repeated(std::string_view text, int times) {
  std::string all;
  for (int i = 0; i < times; ++i) all += text;
  return all;
}

constexpr std::string_view read_memory = "$m1000,100#eb";

DebugStop at(Reason reason) { return {reason, 0, 0, {}}; }

/// Whether the server wants a stop, within some time: it looks once a millisecond.
bool wants_stop(GdbServer& server) {
  for (int i = 0; i < 200; ++i) {
    if (server.wants_stop()) return true;
    ::poll(nullptr, 0, 2);
  }
  return false;
}

}  // namespace

TEST_CASE("GDB server: a session from the beginning to the end of the target") {
  test::FakeTarget target;
  GdbServer server(0, target);
  CHECK(server.port() != 0);
  const Debugger debugger(server.port());
  debugger.send("+$?#3f$vCont;s#b8");
  CHECK(server.stopped(at(Reason::begin)) == Resume::step);
  CHECK(debugger.received() == "++$T05thread:1;#d7");
  debugger.send("$c#63");
  CHECK(server.stopped(at(Reason::step)) == Resume::run);
  CHECK(debugger.received() == "$T05thread:1;#d7+");
  server.exited(0);
  CHECK(debugger.received() == "$W00#b7closed");
}

TEST_CASE("GDB server: Ctrl-C and a debugger that comes later stop the target, which goes on where there is none") {
  test::FakeTarget target;
  GdbServer server(0, target);
  CHECK(server.stopped(at(Reason::breakpoint)) == Resume::run);
  CHECK_FALSE(server.wants_stop());
  const Debugger debugger(server.port());
  CHECK(wants_stop(server));
  debugger.send("$c#63");
  CHECK(server.stopped(at(Reason::interrupt)) == Resume::run);
  CHECK_FALSE(server.wants_stop());
  debugger.send("\x03");
  CHECK(wants_stop(server));
  CHECK_FALSE(server.wants_stop());
}

TEST_CASE("GDB server: a debugger that vanishes or detaches leaves no breakpoint, and another may come") {
  test::FakeTarget target;
  GdbServer server(0, target);
  {
    const Debugger debugger(server.port());
    debugger.send("$Z0,1000,2#d5$c#63");
    CHECK(server.stopped(at(Reason::begin)) == Resume::run);
    CHECK(target.asked == std::vector<std::string>{"break 4096"});
  }
  CHECK(server.stopped(at(Reason::breakpoint)) == Resume::run);
  CHECK(target.asked == std::vector<std::string>{"break 4096", "clear 4096"});
  const Debugger second(server.port());
  CHECK(wants_stop(server));
  second.send("$D#44");
  CHECK(server.stopped(at(Reason::interrupt)) == Resume::run);
  CHECK(second.received() == "+$OK#9aclosed");
  const Debugger third(server.port());
  CHECK(wants_stop(server));
  third.send("$k#6b");
  CHECK(server.stopped(at(Reason::interrupt)) == Resume::end);
}

TEST_CASE("GDB server: a second debugger finds the door shut, and the first goes on") {
  test::FakeTarget target;
  GdbServer server(0, target);
  const Debugger first(server.port());
  CHECK(wants_stop(server));
  const Debugger second(server.port());
  CHECK_FALSE(wants_stop(server));
  CHECK(second.received() == "closed");
  first.send("$c#63");
  CHECK(server.stopped(at(Reason::interrupt)) == Resume::run);
}

TEST_CASE("GDB server: garbage on the socket is no reason to stop") {
  test::FakeTarget target;
  GdbServer server(0, target);
  const Debugger debugger(server.port());
  debugger.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n$\xff\xfe#00$#00$" + std::string(100'000, 'y') + "#00$c#63");
  CHECK(server.stopped(at(Reason::begin)) == Resume::run);
}

TEST_CASE("GDB server: a program that was asked to end waits for no debugger") {
  test::FakeTarget target;
  GdbServer server(0, target, [] { return true; });
  CHECK(server.stopped(at(Reason::begin)) == Resume::run);
}

TEST_CASE("GDB server: a port that is taken is said") {
  test::FakeTarget target;
  const GdbServer server(0, target);
  CHECK_THROWS_WITH(GdbServer(server.port(), target), "--gdb " + std::to_string(server.port()) + ": Address already in use");
}

TEST_CASE("GDB server: a debugger that dies with answers under way, at whatever number of them, lets the target go on") {
  const bool resets = GENERATE(false, true);
  for (const int packets : {1, 2, 10, 100, 1000, 3000}) {
    test::FakeTarget target;
    GdbServer server(0, target);
    {
      Debugger debugger(server.port());
      debugger.send("$?#3f");
      CHECK(wants_stop(server));  // it is connected
      debugger.send(repeated(read_memory, packets));
      if (resets) debugger.reset();
    }
    CHECK(server.stopped(at(Reason::begin)) == Resume::run);
    CHECK(server.stopped(at(Reason::breakpoint)) == Resume::run);
    CHECK_FALSE(server.wants_stop());
    server.exited(0);
  }
}

TEST_CASE("GDB server: a debugger that dies in the middle of a packet, wherever that is, lets the target go on") {
  const std::string session = "$?#3f$Z0,1000,2#d5$vCont;s#b8";
  for (std::size_t length = 1; length < session.size() - 3; ++length) {
    test::FakeTarget target;
    GdbServer server(0, target);
    {
      const Debugger debugger(server.port());
      CHECK(wants_stop(server));
      debugger.send(std::string_view(session).substr(0, length));
    }
    CHECK(server.stopped(at(Reason::breakpoint)) == Resume::run);
    CHECK(target.asked.size() % 2 == 0);  // what was set is cleared
  }
}

TEST_CASE("GDB server: at the beginning, who says nothing is no debugger, and one that says something and dies lets the target go on") {
  test::FakeTarget target;
  GdbServer server(0, target);
  { const Debugger looks_whether_the_port_is_open(server.port()); }
  const Debugger debugger(server.port());
  debugger.send("$s#73");
  CHECK(server.stopped(at(Reason::begin)) == Resume::step);
}

TEST_CASE("GDB server: a debugger that half-closes gets every answer to what it had sent, and the target goes on") {
  test::FakeTarget target;
  GdbServer server(0, target);
  const Debugger debugger(server.port());
  debugger.send(repeated("$qC#b4", 500));
  debugger.half_close();
  CHECK(server.stopped(at(Reason::begin)) == Resume::run);
  std::string answers = debugger.received();
  CHECK(std::count(answers.begin(), answers.end(), '+') == 500);
  std::erase(answers, '+');
  CHECK(answers == repeated("$QC1#c5", 500) + "closed");
}

TEST_CASE("GDB server: a debugger that takes no answers is not read from any more, and a program that is asked to end ends") {
  test::FakeTarget target;
  std::optional<Debugger> debugger;
  std::size_t sent = 0;
  int looks_without_progress = 0;
  GdbServer server(0, target, [&] {
    const std::size_t more = debugger->send_what_fits(repeated(read_memory, 10'000));
    sent += more;
    looks_without_progress = more == 0 ? looks_without_progress + 1 : 0;
    return looks_without_progress > 2 || sent > 64U << 20U;
  });
  debugger.emplace(server.port());
  CHECK(server.stopped(at(Reason::begin)) == Resume::run);
  CHECK(sent < 32U << 20U);  // what the system's buffers hold of it
}
