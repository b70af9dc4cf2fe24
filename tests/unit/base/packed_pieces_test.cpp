// Packed pieces come out as they went in, whichever of them are whole, and take the room of what differs.
#include "base/packed_pieces.hpp"

#include <rapidcheck.h>

#include <catch2/catch.hpp>
#include <map>
#include <vector>

#include "base/sparse_bytes.hpp"

using namespace tessera;

namespace {

using Bytes = std::vector<std::byte>;

/// Of `size`, most of them zeros.
Bytes any_piece(std::size_t size) {
  Bytes bytes(size);
  const auto changes = *rc::gen::container<std::vector<std::pair<std::uint16_t, std::uint8_t>>>(
      rc::gen::arbitrary<std::pair<std::uint16_t, std::uint8_t>>());
  for (const auto& [place, value] : changes)
    if (size != 0) bytes[place % size] = static_cast<std::byte>(value);
  return bytes;
}

Bytes read_of(const PackedPieces& pieces, std::uint64_t number, std::size_t size) {
  Bytes bytes(size, std::byte{1});
  pieces.read(number, 0, bytes);
  return bytes;
}

}  // namespace

TEST_CASE("bytes are unpacked as they were packed, and their beginning alone too") {
  CHECK(rc::check("any bytes", [] {
    const Bytes bytes = any_piece(*rc::gen::inRange<std::size_t>(0, 5000));
    Bytes room(most_packed(bytes.size()));
    const std::size_t size = pack(bytes, room);
    const auto wanted = *rc::gen::inRange<std::size_t>(0, bytes.size() + 9);
    Bytes read(wanted, std::byte{1});
    unpack(std::span(room).first(size), read);
    for (std::size_t i = 0; i < wanted; ++i) RC_ASSERT(read[i] == (i < bytes.size() ? bytes[i] : std::byte{0}));
  }));
}

TEST_CASE("what is not zero takes room, and zeros by the run") {
  Bytes bytes(4096);
  Bytes room(most_packed(bytes.size()));
  CHECK(pack(bytes, room) == 0);
  bytes[4000] = std::byte{1};
  CHECK(pack(bytes, room) == 6);  // two runs, 500 groups long, and a group
  Bytes read(4096);
  unpack(std::span(room).first(6), read);
  CHECK(read == bytes);
  Bytes dense(4096, std::byte{1});
  CHECK(pack(dense, room) == most_packed(dense.size()));
}

TEST_CASE("pieces are what was written last, whole or in part, and zeros where nothing was") {
  CHECK(rc::check("against a map", [] {
    constexpr std::size_t size = 64;
    const std::size_t period = *rc::gen::arbitrary<bool>() ? size : 16;
    PackedPieces pieces(size, 2 * size, period);
    std::map<std::uint64_t, Bytes> written;
    for (int step = 0; step < 40; ++step) {
      const auto number = *rc::gen::inRange<std::uint64_t>(0, 6);
      Bytes& bytes = written[number];
      bytes.resize(size);
      if (*rc::gen::arbitrary<bool>()) {
        // Mostly one of a few, so that pieces are alike.
        bytes = *rc::gen::inRange(0, 3) == 0 ? any_piece(size) : Bytes(size, static_cast<std::byte>(number % 2));
        pieces.write(number, bytes);
      } else {
        const auto offset = *rc::gen::inRange<std::size_t>(0, size);
        const Bytes part = any_piece(*rc::gen::inRange<std::size_t>(0, size - offset));
        std::copy(part.begin(), part.end(), bytes.begin() + static_cast<std::ptrdiff_t>(offset));
        pieces.write_part(number, offset, part);
      }
      for (std::uint64_t other = 0; other < 7; ++other)
        RC_ASSERT(read_of(pieces, other, size) == (written.contains(other) ? written[other] : Bytes(size)));
    }
  }));
}

TEST_CASE("pieces that were not written last take the room of what is not zero, equal ones once") {
  constexpr std::size_t size = 4096;
  PackedPieces pieces(size, size, size);
  Bytes piece(size);
  piece[7] = std::byte{9};
  for (std::uint64_t number = 0; number < 100; ++number) pieces.write(number, piece);
  CHECK(pieces.content_bytes() == size + 2);
  for (std::uint64_t number = 0; number < 99; ++number) pieces.write(number, Bytes(size));
  CHECK(pieces.content_bytes() == size);
  CHECK(read_of(pieces, 99, size) == piece);
  CHECK(read_of(pieces, 98, size) == Bytes(size));
  pieces.clear();
  CHECK(read_of(pieces, 99, size) == Bytes(size));
}

TEST_CASE("a piece that resembles itself takes the room of what differs from one period to the next") {
  constexpr std::size_t size = 512;
  constexpr std::size_t period = 64;
  PackedPieces pieces(size, size, period);
  Bytes piece(size, std::byte{0x5a});
  for (std::size_t at = 0; at < size; at += period) piece[at] = static_cast<std::byte>(at / period);
  pieces.write(0, piece);
  pieces.write(1, piece);
  CHECK(pieces.content_bytes() < size + most_packed(period) + 7 * 4);
  CHECK(read_of(pieces, 0, size) == piece);
}
