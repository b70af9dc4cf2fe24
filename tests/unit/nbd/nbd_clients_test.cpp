// Clients at the other end of a pair of sockets that go away, half-close or take nothing, wherever they are. One thread plays all parts.
#include "platforms/serve/nbd_clients.hpp"

#include <sys/socket.h>
#include <unistd.h>
#include <algorithm>
#include <catch2/catch.hpp>

#include "unit/nbd/nbd_bytes.hpp"

using namespace tessera;
using namespace tessera::test;

namespace {

constexpr NbdExport drive{.size = 1U << 20U, .smallest = 512, .preferred = 4096, .largest = 65'536};

/// A server whose drive answers at once, and notes what it is asked.
struct Server {
  explicit Server(std::size_t most = 8) : clients(most) { clients.offer(drive); }

  /// The other end of a new connection, which takes `buffer` bytes in either direction (0: as many as is usual).
  int connect(int buffer = 0) {
    int ends[2];
    REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends) == 0);
    for (const int end : ends)
      if (buffer != 0) ::setsockopt(end, SOL_SOCKET, SO_SNDBUF, &buffer, sizeof buffer);
    clients.add(ends[0]);
    return ends[1];
  }
  /// One turn; whether anything has happened.
  bool turn() {
    clients.sweep();
    std::vector<pollfd> places;
    clients.watch(places);
    const bool events = !places.empty() && ::poll(places.data(), places.size(), 0) > 0;
    if (events) clients.handle(places);
    std::uint64_t client = 0;
    bool served = false;
    for (NbdRequest request; clients.next(client, request); served = true) {
      asked.push_back(request);
      clients.done(client, request, std::vector<std::byte>(request.command == NbdCommand::read ? request.length : 0, std::byte{5}));
      most_held = std::max(most_held, clients.held());
    }
    return events || served;
  }
  /// Until nothing happens any more.
  void settle() {
    int turns = 0;
    while (turn()) REQUIRE(++turns < 10'000);
    clients.sweep();
  }
  [[nodiscard]] std::size_t writes() const {
    return static_cast<std::size_t>(
        std::ranges::count_if(asked, [](const NbdRequest& request) { return request.command == NbdCommand::write; }));
  }

  NbdClients clients;
  std::vector<NbdRequest> asked;
  std::size_t most_held = 0;
};

std::size_t send(int socket, std::span<const std::byte> data) {
  const ssize_t gone = ::send(socket, data.data(), data.size(), MSG_NOSIGNAL);
  return gone < 0 ? 0 : static_cast<std::size_t>(gone);
}

struct Received {
  std::size_t bytes = 0;
  bool ended = false;
};

Received receive(int socket) {
  Received all;
  std::vector<char> chunk(65'536);
  for (;;) {
    const ssize_t got = ::recv(socket, chunk.data(), chunk.size(), 0);
    if (got > 0) {
      all.bytes += static_cast<std::size_t>(got);
      continue;
    }
    all.ended = got == 0 || errno == ECONNRESET;
    return all;
  }
}

const std::string agreed = "00000003 49484156454f5054 00000001 00000000";
constexpr std::size_t greeting_and_export = 18 + 10;

std::string write_of_a_block(std::uint64_t block) {
  return "25609513 0000 0001 " + hex(block, 8) + hex(512 * block, 8) + "00000200" + std::string(1024, '5');
}
std::string read_of(std::uint32_t length) { return "25609513 0000 0000 0000000000000001 0000000000000000" + hex(length, 4); }
/// As much as a connection may hold.
std::string largest_write() { return "25609513 0000 0001 0000000000000001 0000000000000000 00010000" + std::string(131'072, '5'); }
constexpr std::size_t answer = 16;

}  // namespace

TEST_CASE("NBD clients: one that closes, wherever it is in what it says, leaves what it sent whole done, and nothing else") {
  const auto whole = bytes(agreed + write_of_a_block(1) + read_of(512) + write_of_a_block(2) + "25609513 0000 0003 0000000000000008" +
                           "0000000000000000 00000000" + write_of_a_block(3));
  const std::size_t first = bytes(agreed + write_of_a_block(1)).size(), second = first + 28 + bytes(write_of_a_block(2)).size();
  const bool takes_its_answers = GENERATE(false, true);
  for (std::size_t length = 0; length <= whole.size(); ++length) {
    Server server;
    const int client = server.connect();
    REQUIRE(send(client, std::span(whole).first(length)) == length);
    if (takes_its_answers) {
      server.settle();
      static_cast<void>(receive(client));
    }
    ::close(client);
    server.settle();
    CHECK(server.clients.size() == 0);
    CHECK(server.writes() == (length < first ? 0 : length < second ? 1 : length < whole.size() ? 2 : 3));
  }
}

TEST_CASE("NBD clients: one that half-closes, wherever it is, gets every answer, and then the end") {
  const auto whole = bytes(agreed + read_of(512) + write_of_a_block(2) + read_of(4096));
  const std::size_t haggled = bytes(agreed).size(), first = haggled + 28, second = first + bytes(write_of_a_block(2)).size();
  for (std::size_t length = 0; length <= whole.size(); ++length) {
    Server server;
    const int client = server.connect();
    REQUIRE(send(client, std::span(whole).first(length)) == length);
    ::shutdown(client, SHUT_WR);
    server.settle();
    const Received received = receive(client);
    CHECK(received.ended);
    CHECK(server.clients.size() == 0);
    const std::size_t expected = length < haggled        ? 18
                                 : length < first        ? greeting_and_export
                                 : length < second       ? greeting_and_export + answer + 512
                                 : length < whole.size() ? greeting_and_export + 2 * answer + 512
                                                         : greeting_and_export + 3 * answer + 512 + 4096;
    CHECK(received.bytes == expected);
    ::close(client);
  }
}

TEST_CASE("NBD clients: two thousand writes sent whole before a close are all done, though nobody takes their answers") {
  Server server;
  const int client = server.connect();
  std::string text = agreed;
  for (std::uint64_t block = 0; block < 2000; ++block) text += write_of_a_block(block % 2000);
  const auto all = bytes(text);
  for (std::size_t at = 0; at < all.size(); at += send(client, std::span(all).subspan(at))) server.turn();
  ::close(client);
  server.settle();
  CHECK(server.writes() == 2000);
  CHECK(server.clients.size() == 0);
}

TEST_CASE("NBD clients: two hundred answers arrive after a half-close") {
  Server server;
  const int client = server.connect(4096);
  std::string text = agreed;
  for (int i = 0; i < 200; ++i) text += read_of(4096);
  const auto all = bytes(text);
  std::size_t received = 0;
  for (std::size_t at = 0; at < all.size(); at += send(client, std::span(all).subspan(at))) {
    server.turn();
    received += receive(client).bytes;
  }
  ::shutdown(client, SHUT_WR);
  bool ended = false;
  for (int turns = 0; !ended && turns < 10'000; ++turns) {
    server.turn();
    const Received more = receive(client);
    received += more.bytes;
    ended = more.ended;
  }
  CHECK(ended);
  CHECK(received == greeting_and_export + 200 * (answer + 4096));
  ::close(client);
}

TEST_CASE("NBD clients: a request that had no room beside a refusal is served once that is sent, as nothing else would call for it") {
  const bool is_gone = GENERATE(false, true);
  Server server;
  const int client = server.connect();
  send(client, bytes(agreed + read_of(513) + (is_gone ? largest_write() : read_of(65'536))));
  if (is_gone) ::close(client);
  server.turn();
  CHECK(server.asked.size() == 1);
  if (!is_gone) ::close(client);
}

TEST_CASE("NBD clients: one that takes no answers is bounded, and the others go on") {
  Server server;
  const int greedy = server.connect(4096), other = server.connect();
  std::string text = agreed;
  for (int i = 0; i < 500; ++i) text += read_of(65'536);
  const auto all = bytes(text);
  std::size_t at = 0;
  for (int turns = 0; turns < 2000; ++turns) {
    at += send(greedy, std::span(all).subspan(at));
    server.turn();
  }
  CHECK(server.asked.size() < 5);
  CHECK(server.most_held < (1U << 20U));
  const auto good = bytes(agreed + read_of(512));
  send(other, good);
  server.settle();
  CHECK(receive(other).bytes == greeting_and_export + answer + 512);
  std::size_t taken = 0;
  for (int turns = 0; taken < greeting_and_export + 500 * (answer + 65'536) && turns < 100'000; ++turns) {  // it thinks better of it
    at += send(greedy, std::span(all).subspan(at));
    server.turn();
    taken += receive(greedy).bytes;
  }
  CHECK(taken == greeting_and_export + 500 * (answer + 65'536));
  ::close(greedy);
  ::close(other);
}

TEST_CASE("NBD clients: endless haggling is bounded, too") {
  Server server;
  const int client = server.connect(4096);
  std::string text = "00000003";
  for (int i = 0; i < 1000; ++i) text += "49484156454f5054 00000003 00000000";
  const auto all = bytes(text);
  for (int turns = 0; turns < 3000; ++turns) {
    send(client, all);
    server.turn();
  }
  CHECK(server.clients.held() < (1U << 20U));
  ::close(client);
  server.settle();
  CHECK(server.clients.size() == 0);
}

TEST_CASE("NBD clients: with all places taken a further one takes that of one that says nothing, or waits") {
  Server server(2);
  const int silent = server.connect(), good = server.connect();
  send(good, bytes(agreed));
  server.settle();
  CHECK(server.clients.has_room());
  const int third = server.connect();
  CHECK(receive(silent).ended);
  send(third, bytes(agreed));
  server.settle();
  CHECK_FALSE(server.clients.has_room());
  CHECK_FALSE(receive(good).ended);
  ::close(third);
  server.settle();
  CHECK(server.clients.has_room());
  ::close(silent);
  ::close(good);
}

TEST_CASE("NBD clients: a goodbye is answered by the end, once everything before is") {
  Server server;
  const int client = server.connect();
  send(client, bytes(agreed + read_of(512) + "25609513 0000 0002 0000000000000001 0000000000000000 00000000" + read_of(512)));
  server.settle();
  const Received received = receive(client);
  CHECK(received.bytes == greeting_and_export + answer + 512);
  CHECK(received.ended);
  ::close(client);
}
