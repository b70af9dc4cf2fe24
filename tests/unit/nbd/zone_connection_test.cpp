// The zone protocol by hand, byte for byte as docs/guide/zone-protocol.md has it.
#include "platforms/serve/zone_connection.hpp"

#include <catch2/catch.hpp>

#include "unit/nbd/nbd_bytes.hpp"

using namespace tessera;
using namespace tessera::test;

namespace {

/// Eight zones of 64 blocks.
const ZonedGeometry drive{.blocks = 512, .sector_bytes = 4096, .zone_blocks = 64, .largest = 65'536};
const std::string asks = "545a5251", answers = "545a5250";

std::string request(unsigned command, std::uint64_t block, std::uint32_t count, unsigned flags = 0) {
  return asks + hex(command, 2) + hex(flags, 2) + "00000000000000aa" + hex(block, 8) + hex(count, 4) + "00000000";
}
/// A reply without anything after it.
std::string reply(unsigned command, unsigned status, const std::string& sense) {
  return answers + hex(command, 2) + hex(status, 2) + "00000000000000aa" + sense + "00 00000000 00000000 00000000";
}
std::vector<std::byte> taken(ZoneConnection& connection) {
  const auto out = connection.out();
  std::vector<std::byte> all(out.begin(), out.end());
  connection.sent(all.size());
  return all;
}
/// What the connection answers without the drive; the request reaches the drive where that is nothing.
std::vector<std::byte> answered(const std::string& hex_digits) {
  ZoneConnection connection(drive);
  connection.feed(bytes(hex_digits));
  ZoneRequest asked;
  if (connection.next(asked)) return {};
  return taken(connection);
}

}  // namespace

TEST_CASE("zone protocol: geometry is answered at once") {
  CHECK(answered(request(1, 0, 0)) == bytes(answers + "0001 0000 00000000000000aa 000000 00 00000000 00000028 00000000" +
                                            "0001 0000 00000200 0000000000000200 0000000000000040 00000008 00001000 00000080 00000000"));
}

TEST_CASE("zone protocol: a report says type, condition and pointer as SCSI numbers them, and no more zones than were asked for") {
  ZoneConnection connection(drive);
  connection.feed(bytes(request(5, 70, 2)));
  ZoneRequest asked;
  REQUIRE(connection.next(asked));
  CHECK((asked.command == ZoneCommand::report && asked.block == 70 && asked.count == 2 && asked.cookie == 0xaa));
  const std::vector<ZoneDescriptor> zones = {
      {ZoneType::conventional, ZoneCondition::not_write_pointer, HostBlock(0), 64, HostBlock(0)},
      {ZoneType::sequential_write_required, ZoneCondition::closed, HostBlock(64), 64, HostBlock(72)},
      {ZoneType::sequential_write_required, ZoneCondition::full, HostBlock(128), 64, HostBlock(192)}};
  connection.reported(asked, std::span(zones));
  CHECK(taken(connection) == bytes(answers + "0005 0000 00000000000000aa 000000 00 00000002 00000040 00000000" +
                                   "0000000000000000 0000000000000040 ffffffffffffffff 01 00 000000000000" +
                                   "0000000000000040 0000000000000040 0000000000000048 02 04 000000000000"));
}

TEST_CASE("zone protocol: what the drive could not serve is answered with an error, on both sides of each bound") {
  const std::string field = "052400", range = "052100";
  CHECK(answered(request(2, 0, 1)).empty());
  CHECK(answered(request(2, 511, 1)).empty());
  CHECK(answered(request(2, 512, 1)) == bytes(reply(2, 10, range)));
  CHECK(answered(request(2, 511, 2)) == bytes(reply(2, 10, range)));
  CHECK(answered(request(2, 0, 128)).empty());
  CHECK(answered(request(2, 0, 129)) == bytes(reply(2, 5, field)));
  CHECK(answered(request(2, 0, 0)) == bytes(reply(2, 5, field)));
  CHECK(answered(request(5, 0, 0)) == bytes(reply(5, 5, field)));
  CHECK(answered(request(9, 0, 0)).empty());
  CHECK(answered(request(9, 0, 0, 1)).empty());
  CHECK(answered(request(9, 64, 0, 1)) == bytes(reply(9, 5, field)));
  CHECK(answered(request(9, 512, 0)) == bytes(reply(9, 10, range)));
  CHECK(answered(request(4, 0, 0, 1)) == bytes(reply(4, 5, field)));
  CHECK(answered(request(4, 0, 0, 2)) == bytes(reply(4, 5, field)));
  CHECK(answered(request(0, 0, 0)) == bytes(reply(0, 9, "052000")));
  CHECK(answered(request(10, 0, 0)) == bytes(reply(10, 9, "052000")));
}

TEST_CASE("zone protocol: a write comes whole or not at all, and one that is too large ends the connection with an answer") {
  ZoneConnection connection(drive);
  ZoneRequest asked;
  connection.feed(bytes(request(3, 64, 1)));
  CHECK_FALSE(connection.next(asked));
  CHECK(connection.reads());
  connection.feed(std::vector<std::byte>(512, std::byte{7}));
  REQUIRE(connection.next(asked));
  CHECK(asked.data == std::vector<std::byte>(512, std::byte{7}));
  connection.failed(asked, ZoneStatus::unaligned_write);
  CHECK(taken(connection) == bytes(reply(3, 1, "052104")));
  connection.feed(bytes(request(3, 64, 129)));
  CHECK_FALSE(connection.next(asked));
  CHECK(taken(connection) == bytes(reply(3, 15, "052000")));
  CHECK(connection.finished());
}

TEST_CASE("zone protocol: no more than the largest payload is on its way to a client that takes nothing") {
  ZoneConnection connection(drive);
  ZoneRequest asked;
  connection.feed(bytes(request(2, 0, 128) + request(2, 0, 1)));
  REQUIRE(connection.next(asked));
  CHECK_FALSE(connection.next(asked));
  connection.done(asked, std::vector<std::byte>(65'536));
  CHECK_FALSE(connection.next(asked));
  CHECK_FALSE(connection.reads());
  taken(connection);
  CHECK(connection.next(asked));
}
