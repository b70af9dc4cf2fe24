// The NBD protocol by hand, byte for byte as its description has it.
#include <catch2/catch.hpp>

#include "unit/nbd/nbd_bytes.hpp"

using namespace tessera;
using namespace tessera::test;

namespace {

const NbdExport drive{.size = 1U << 20U, .smallest = 512, .preferred = 4096, .largest = 65'536};
const std::string greeting = "4e42444d41474943 49484156454f5054 0003";
const std::string no_zeroes = "00000003";
const std::string export_name = "49484156454f5054 00000001 00000000";
/// Size 1 MiB, and has-flags, flush, FUA, rotational, trim, write-zeroes, several connections, fast zeroes:
/// 1 + 4 + 8 + 16 + 32 + 64 + 256 + 2048 = 0x97d.
const std::string exported = "0000000000100000 097d";

/// A connection in its transmission phase.
struct Connected : NbdConnection {
  Connected() : NbdConnection(drive) {
    feed(bytes(no_zeroes + export_name));
    NbdRequest none;
    CHECK_FALSE(next(none));
    CHECK(drained(*this) == bytes(greeting + exported));
  }
  /// The error that a request with these flags, type, offset and length is answered with; ~0: it goes to the drive.
  std::uint32_t error_of(const std::string& flags_type, const std::string& offset, const std::string& length) {
    feed(bytes("25609513" + flags_type + "00000000000000aa" + offset + length));
    NbdRequest request;
    if (next(request)) {
      failed(request, NbdError::io, "");
      drained(*this);
      return ~0U;
    }
    const auto out = drained(*this);
    CHECK(out.size() == 16);
    return out.size() < 8 ? 0 : std::to_integer<std::uint32_t>(out[7]);
  }
};

}  // namespace

TEST_CASE("NBD: INFO tells size and block sizes, GO begins the transmission") {
  NbdConnection connection(drive);
  NbdRequest none;
  const std::string go = "0000000a 00000004 64697363 0000";  // length 10, a name of four letters, no information asked for
  connection.feed(bytes(no_zeroes + "49484156454f5054 00000006" + go));
  CHECK_FALSE(connection.next(none));
  const auto answer = [](const std::string& option) {
    const std::string header = "0003e889045565a9" + option;
    return header + "00000003 0000000c 0000" + exported + header + "00000003 0000000e 0003 00000200 00001000 00010000" + header +
           "00000001 00000000";
  };
  CHECK(drained(connection) == bytes(greeting + answer("00000006")));
  connection.feed(bytes("49484156454f5054 00000007" + go + "25609513 0000 0000 0000000000000001 0000000000001000 00000200"));
  REQUIRE(connection.next(none));
  CHECK(none.command == NbdCommand::read);
  CHECK(none.cookie == 1);
  CHECK(none.offset == 4096);
  CHECK(none.length == 512);
  CHECK(drained(connection) == bytes(answer("00000007")));
}

TEST_CASE("NBD: options that there are not are refused, LIST names one export, and the negotiation goes on") {
  NbdConnection connection(drive);
  NbdRequest none;
  connection.feed(bytes(no_zeroes + "49484156454f5054 00000005 00000000 49484156454f5054 00000003 00000000"));  // STARTTLS, LIST
  CHECK_FALSE(connection.next(none));
  CHECK(drained(connection) ==
        bytes(greeting + "0003e889045565a9 00000005 80000001 00000000" + "0003e889045565a9 00000003 00000002 00000004 00000000" +
              "0003e889045565a9 00000003 00000001 00000000"));
  connection.feed(bytes("49484156454f5054 00000007 00000006 0000ffff 0000"));  // a name longer than the option
  CHECK_FALSE(connection.next(none));
  CHECK(drained(connection) == bytes("0003e889045565a9 00000007 80000003 00000000"));
  CHECK_FALSE(connection.ended());
  connection.feed(bytes("49484156454f5054 00000002 00000000"));  // ABORT
  CHECK_FALSE(connection.next(none));
  CHECK(connection.ended());
}

TEST_CASE("NBD: a client that does not know better gets 124 zeroes behind the export") {
  NbdConnection connection(drive);
  NbdRequest none;
  connection.feed(bytes("00000001" + export_name));
  CHECK_FALSE(connection.next(none));
  CHECK(drained(connection).size() == 18 + 10 + 124);
}

TEST_CASE("NBD: requests and answers byte for byte, however they come in pieces") {
  const std::string data(1024, '5');
  const auto stream = bytes("25609513 0001 0001 0000000000000007 0000000000000200 00000200" + data +  // write, FUA
                            "25609513 0000 0003 0000000000000008 0000000000000000 00000000");         // flush
  for (const std::size_t piece : {std::size_t{1}, std::size_t{27}, stream.size()}) {
    Connected connection;
    std::vector<NbdRequest> requests;
    for (std::size_t at = 0; at < stream.size(); at += piece) {
      connection.feed(std::span(stream).subspan(at, std::min(piece, stream.size() - at)));
      for (NbdRequest request; connection.next(request);) requests.push_back(request);
    }
    REQUIRE(requests.size() == 2);
    CHECK(requests[0].command == NbdCommand::write);
    CHECK(requests[0].force_unit_access);
    CHECK(requests[0].data == bytes(data));
    CHECK(requests[1].command == NbdCommand::flush);
    CHECK(requests[1].cookie == 8);
    connection.done(requests[0]);
    connection.failed(requests[1], NbdError::io, "simple replies have no words");
    CHECK(drained(connection) == bytes("67446698 00000000 0000000000000007 67446698 00000005 0000000000000008"));
  }
}

TEST_CASE("NBD: what the drive could not serve is answered with an error, on both sides of each bound") {
  Connected connection;
  const std::string read = "00000000", write = "00000001", trim = "00000004";
  CHECK(connection.error_of(read, "00000000000ffe00", "00000200") == ~0U);  // the last block
  CHECK(connection.error_of(read, "0000000000100000", "00000200") == 22);   // behind it
  CHECK(connection.error_of(read, "00000000000ffe00", "00000400") == 22);
  CHECK(connection.error_of(read, "ffffffffffffffff", "00000200") == 22);
  CHECK(connection.error_of(trim, "0000000000100000", "00000200") == 22);
  CHECK(connection.error_of(read, "0000000000000000", "00010000") == ~0U);  // the largest
  CHECK(connection.error_of(read, "0000000000000000", "00010200") == 22);
  CHECK(connection.error_of(trim, "0000000000000000", "00100000") == ~0U);  // which holds for payloads only
  CHECK(connection.error_of(read, "0000000000000000", "00000000") == 22);
  CHECK(connection.error_of(read, "0000000000000001", "00000200") == 22);
  CHECK(connection.error_of(read, "0000000000000000", "00000201") == 22);
  CHECK(connection.error_of("00000007", "0000000000000000", "00000200") == 22);   // BLOCK_STATUS was not agreed on
  CHECK(connection.error_of("00040000", "0000000000000000", "00000200") == 22);   // nor reads in one piece
  CHECK(connection.error_of("00020000", "0000000000000000", "00000200") == 22);   // a flag of another command
  CHECK(connection.error_of("00010000", "0000000000000000", "00000200") == ~0U);  // FUA any may have
  CHECK(connection.error_of("00120006", "0000000000000000", "00100000") == ~0U);  // WRITE_ZEROES, as long as the drive
  CHECK(connection.error_of("00000006", "0000000000000200", "00100000") == 28);
  CHECK(connection.error_of("00000005", "0000000000000000", "00000200") == 22);  // CACHE
  CHECK(connection.error_of("00000003", "0000000000000200", "00000000") == 22);  // a flush of something
  connection.feed(bytes("25609513" + write + "00000000000000aa 0000000000100000 00000200" + std::string(1024, '0')));
  NbdRequest none;
  CHECK_FALSE(connection.next(none));
  CHECK(drained(connection) == bytes("67446698 0000001c 00000000000000aa"));  // no space, and its payload is not taken for a request
  CHECK(connection.error_of(read, "0000000000000000", "00000200") == ~0U);
}

TEST_CASE("NBD: garbage ends the connection, whatever comes behind it") {
  NbdRequest none;
  const auto ends = [&none](NbdConnection& connection, const std::string& hex) {
    connection.feed(bytes(hex));
    const bool request = connection.next(none);
    connection.feed(bytes("25609513 0000 0003 0000000000000008 0000000000000000 00000000"));
    return !request && !connection.next(none) && connection.ended();
  };
  NbdConnection flags(drive), option(drive), endless(drive);
  CHECK(ends(flags, "80000003"));
  CHECK(ends(option, no_zeroes + "4948415645000000 00000001 00000000"));
  CHECK(ends(endless, no_zeroes + "49484156454f5054 00000007 00010001"));  // an option of more than 64 KiB
  Connected magic, long_write, goodbye;
  CHECK(ends(magic, "25609514 0000 0000 0000000000000001 0000000000000000 00000200"));
  CHECK(ends(long_write, "25609513 0000 0001 0000000000000001 0000000000000000 00010200"));  // a payload larger than the largest
  CHECK(ends(goodbye, "25609513 0000 0002 0000000000000001 0000000000000000 00000000"));
}
