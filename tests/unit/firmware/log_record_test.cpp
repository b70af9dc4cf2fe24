// Records in out-of-band bytes.
#include <catch2/catch.hpp>

#include <string_view>
#include <vector>

#include "firmware/logs/crc32_of_zeros.hpp"
#include "firmware/logs/log_record.hpp"

using namespace tessera;

TEST_CASE("the checksum is CRC-32 of IEEE 802.3") {
  constexpr std::string_view check = "123456789";  // the catalogue's check input and value
  CHECK(crc32(std::as_bytes(std::span(check))) == 0xCBF43926U);
  CHECK(crc32({}) == 0U);
}

TEST_CASE("the checksum of any length is the remainder of a division bit by bit") {
  alignas(8) std::array<std::byte, 41 + 3> room{};
  for (const std::size_t place : {0U, 1U, 2U, 3U}) {  // in a word: those that begin with it are taken by words
    const std::span bytes = std::span(room).subspan(place, 41);
    for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>(i * 167 + 13);
    for (std::size_t length = 0; length <= bytes.size(); ++length) {
      std::uint32_t remainder = ~std::uint32_t{0};
      for (std::size_t bit = 0; bit < length * 8; ++bit) {
        const bool set = (bytes[bit / 8] >> bit % 8 & std::byte{1}) != std::byte{0};
        remainder = (remainder >> 1) ^ (((remainder & 1U) != 0) != set ? 0xEDB88320U : 0U);
      }
      INFO(length << " bytes");
      CHECK(crc32(bytes.first(length)) == ~remainder);
    }
  }
}

TEST_CASE("the checksum of bytes with zeros after them is that of all of them") {
  std::vector<std::byte> bytes(5000, std::byte{0});
  for (std::size_t i = 0; i < 100; ++i) bytes[i] = static_cast<std::byte>(i * 31 + 7);
  for (const std::size_t used : {0U, 1U, 99U, 100U})
    for (const std::size_t zeros : {0U, 1U, 2U, 63U, 512U, 4900U}) {
      std::vector<std::byte> whole(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(used));
      whole.resize(used + zeros, std::byte{0});
      INFO(used << " bytes and " << zeros << " zeros");
      CHECK(crc32_with_zeros(std::span(bytes).first(used), zeros) == crc32(whole));
    }
}

TEST_CASE("a record comes back as it was written, and one with any bit changed does not") {
  const LogRecord record{RecordType::backup, 0x123456789ABCU, 17, {1, 2, 3, 4, ~std::uint64_t{0}}};
  const SectorHeader header = encode(record);
  const auto read = decode(header);
  REQUIRE(read.has_value());
  CHECK(read->type == record.type);
  CHECK(read->sequence == record.sequence);
  CHECK(read->length == record.length);
  CHECK(read->payload == record.payload);
  for (std::size_t bit = 0; bit < header_bytes * 8; ++bit) {
    SectorHeader torn = header;
    torn[bit / 8] ^= std::byte{1} << (bit % 8);
    CHECK_FALSE(decode(torn).has_value());
  }
  CHECK_FALSE(decode(SectorHeader{}).has_value());
}
