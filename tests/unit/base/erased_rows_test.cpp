// Rows of erased flash come out as they went in, in whatever order they are written, and take the room of what is not erased.
#include "base/erased_rows.hpp"

#include <rapidcheck.h>

#include <catch2/catch.hpp>
#include <map>
#include <vector>

using namespace tessera;

namespace {

using Bytes = std::vector<std::byte>;

/// Of `size`, most of them erased.
Bytes any_row(std::size_t size) {
  Bytes bytes(size, std::byte{0xff});
  const auto changes = *rc::gen::container<std::vector<std::pair<std::uint16_t, std::uint8_t>>>(
      rc::gen::arbitrary<std::pair<std::uint16_t, std::uint8_t>>());
  for (const auto& [place, value] : changes)
    if (size != 0) bytes[place % size] = static_cast<std::byte>(value);
  return bytes;
}

}  // namespace

TEST_CASE("rows are what was written last, in part too, and erased where nothing was") {
  CHECK(rc::check("against a map", [] {
    constexpr std::uint32_t rows = 6;
    ErasedRows packed;
    std::map<std::uint32_t, Bytes> written;
    for (int step = 0; step < 30; ++step) {
      if (*rc::gen::inRange(0, 10) == 0) {
        packed.erase();
        written.clear();
      }
      const auto row = *rc::gen::inRange<std::uint32_t>(0, rows);
      const Bytes bytes = any_row(*rc::gen::inRange<std::size_t>(0, 300));
      packed.write(row, rows, bytes);
      written[row] = bytes;
      written[row].resize(310, std::byte{0xff});
      const auto wanted = *rc::gen::inRange<std::size_t>(0, 310);
      for (std::uint32_t number = 0; number < rows; ++number) {
        Bytes read(wanted);
        packed.read(number, read);
        Bytes expected(310, std::byte{0xff});
        if (written.contains(number)) expected = written[number];
        expected.resize(wanted);
        RC_ASSERT(read == expected);
      }
    }
  }));
}

TEST_CASE("of a row the words that are not erased take room, and a mask for 32 of them") {
  ErasedRows packed;
  Bytes row(280, std::byte{0xff});
  row[5] = row[277] = std::byte{0};
  constexpr std::uint32_t rows = 64;
  for (std::uint32_t number = 0; number < rows; ++number) packed.write(number, rows, row);
  CHECK(packed.words() == rows * (3 + 2));
}
