// The packet layer by hand. Checksums: the sum of the characters modulo 256.
#include "platforms/gdb/gdb_packets.hpp"

#include <catch2/catch.hpp>

using namespace tessera;

namespace {

std::string drained(GdbPackets& packets) {
  std::string all(packets.out());
  packets.sent(all.size());
  return all;
}

}  // namespace

TEST_CASE("GDB packets: what comes is acknowledged and handed over, in whatever pieces it comes") {
  const std::string stream = "+$qC#b4$m1000,4#8e";  // 'q' + 'C' = 0x71 + 0x43 = 0xb4
  for (const std::size_t piece : {std::size_t{1}, std::size_t{3}, stream.size()}) {
    GdbPackets packets;
    for (std::size_t at = 0; at < stream.size(); at += piece) packets.feed(stream.substr(at, piece));
    CHECK(packets.next() == "qC");
    CHECK(packets.next() == "m1000,4");
    CHECK_FALSE(packets.next());
    CHECK(drained(packets) == "++");
  }
}

TEST_CASE("GDB packets: a wrong checksum is asked for again, and the packet is dropped") {
  GdbPackets packets;
  packets.feed("$qC#b5$qC#zz$qC#b");
  CHECK_FALSE(packets.next());
  CHECK(drained(packets) == "--");
  packets.feed("4");
  CHECK(packets.next() == "qC");
  CHECK(drained(packets) == "+");
}

TEST_CASE("GDB packets: escapes are undone on the way in and made on the way out") {
  GdbPackets packets;
  packets.feed("$X}\x03}\x04}]}\x0a#aa");  // '#' '$' '}' '*'; 0x58 + 4 * 0x7d + 3 + 4 + 0x5d + 0xa = 0x2ba
  CHECK_FALSE(packets.next());
  packets.feed("$X}\x03}\x04}]}\x0a#ba");
  CHECK(packets.next() == "X#$}*");
  CHECK(drained(packets) == "-+");
  packets.send("X#$}*");
  CHECK(drained(packets) == "$X}\x03}\x04}]}\x0a#ba");
}

TEST_CASE("GDB packets: a '-' brings the last packet once more, until acknowledgements are given up") {
  GdbPackets packets;
  packets.send("OK");  // 0x4f + 0x4b = 0x9a
  CHECK(drained(packets) == "$OK#9a");
  packets.feed("-");
  CHECK(drained(packets) == "$OK#9a");
  packets.stop_acknowledging();
  packets.feed("-$qC#b4");
  CHECK(packets.next() == "qC");
  CHECK(drained(packets).empty());
}

TEST_CASE("GDB packets: Ctrl-C between packets asks for a stop, within one it is data") {
  GdbPackets packets;
  CHECK_FALSE(packets.interrupted());
  packets.feed("\x03");
  CHECK(packets.interrupted());
  CHECK_FALSE(packets.interrupted());
  packets.feed("$X\x03#5b");
  CHECK_FALSE(packets.interrupted());
  CHECK(packets.next() == "X\x03");
}

TEST_CASE("GDB packets: the longest packet is taken, one character more is refused in words") {
  GdbPackets packets;
  const std::string longest(GdbPackets::longest, '@');  // 16384 * 0x40 is a multiple of 256
  packets.feed("$" + longest + "#00");
  CHECK(packets.next() == longest);
  CHECK(drained(packets) == "+");
  packets.feed("$@" + longest + "#40");
  CHECK_FALSE(packets.next());
  CHECK(drained(packets).starts_with("+$E.a packet of more than 16384 characters#"));
  packets.feed("$qC#b4");
  CHECK(packets.next() == "qC");
}

TEST_CASE("GDB packets: an endless packet and endless complaints take bounded memory") {
  GdbPackets endless;
  for (int i = 0; i < 1000; ++i) endless.feed("$" + std::string(20'000, 'x'));
  CHECK_FALSE(endless.next());
  CHECK(endless.out().empty());
  GdbPackets complaints;
  complaints.send(std::string(10'000, 'x'));
  complaints.feed(std::string(100'000, '-'));
  CHECK(complaints.out().size() < 50'000);
}

TEST_CASE("GDB packets: a packet that loses its end is given up when the next begins") {
  for (const std::string lost : {"$m1000,", "$m1000,4#", "$m1000,4#8"}) {
    GdbPackets packets;
    packets.feed(lost + "$qC#b4");
    CHECK(packets.next() == "qC");
    CHECK_FALSE(packets.next());
    CHECK(drained(packets) == "+");
  }
}

TEST_CASE("GDB packets: hexadecimal digits, on both sides of what they can hold") {
  CHECK(to_hex(std::string("\x00\x7f\xff", 3)) == "007fff");
  CHECK(from_hex("007FfF") == std::string("\x00\x7f\xff", 3));
  CHECK_FALSE(from_hex("0"));
  CHECK_FALSE(from_hex("0g"));
  std::string_view text = "ffffffffffffffff,1";
  CHECK(take_hex(text) == ~0ULL);
  CHECK(text == ",1");
  text = "10000000000000000";
  CHECK_FALSE(take_hex(text));
  text = ",1";
  CHECK_FALSE(take_hex(text));
  CHECK(hex_number(0) == "0");
  CHECK(hex_number(0xabc) == "abc");
}
