// memset, memcpy and memmove of the images, under names of their own, against loops over bytes.
#include <algorithm>
#include <array>
#include <catch2/catch.hpp>

#define memset image_memset
#define memcpy image_memcpy
#define memmove image_memmove
#include "../../../images/memory.cpp"
#undef memset
#undef memcpy
#undef memmove

namespace {

constexpr std::size_t most = 72;    // two rounds of four words, and a piece at either end
constexpr std::size_t places = 16;  // two words: every alignment, and every distance within an overlap
using Bytes = std::array<unsigned char, most + 2 * places>;

Bytes pattern() {
  Bytes bytes;
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<unsigned char>(i * 37 + 11);
  return bytes;
}

}  // namespace

TEST_CASE("An image's memset fills its bytes and no other") {
  for (std::size_t at = 0; at < places; ++at) {
    for (std::size_t bytes = 0; bytes <= most; ++bytes) {
      alignas(16) Bytes found = pattern();
      Bytes expected = pattern();
      std::fill_n(expected.begin() + static_cast<std::ptrdiff_t>(at), bytes, static_cast<unsigned char>(0xA5));
      REQUIRE(image_memset(found.data() + at, 0x3A5, bytes) == found.data() + at);  // the value's lowest byte
      REQUIRE(found == expected);
    }
  }
}

TEST_CASE("An image's memcpy and memmove take every length from and to every alignment") {
  const Bytes source = pattern();
  for (std::size_t from = 0; from < places; ++from) {
    for (std::size_t to = 0; to < places; ++to) {
      for (std::size_t bytes = 0; bytes <= most; ++bytes) {
        Bytes expected = pattern();
        for (std::size_t i = 0; i < bytes; ++i) expected[to + i] = source[from + i];
        alignas(16) Bytes moved = pattern();
        image_memmove(moved.data() + to, moved.data() + from, bytes);  // overlaps, forward and backward
        alignas(16) Bytes copied = pattern();
        image_memcpy(copied.data() + to, source.data() + from, bytes);
        if (moved != expected || copied != expected) FAIL(bytes << " bytes from " << from << " to " << to);
      }
    }
  }
  SUCCEED();
}
