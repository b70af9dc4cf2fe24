#pragma once
// CRC-32 of metadata records (IEEE 802.3: reflected polynomial 0xEDB88320, initial value and final inversion all ones), eight bytes at a
// time: the remainder is linear, so that of eight bytes is the sum of what each leaves behind the others (slicing by 8: M. E. Kounavis,
// F. L. Berry, "A Systematic Approach to Building High Performance Software-Based CRC Generators", ISCC 2005).
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

namespace tessera {

namespace detail {
#ifdef __OPTIMIZE_SIZE__
inline constexpr std::size_t crc32_slices = 1;  // byte by byte: the other tables are 7 KiB
#else
inline constexpr std::size_t crc32_slices = 8;
#endif
/// [n][byte]: the remainder of a byte with n zero bytes behind it.
using Crc32Tables = std::array<std::array<std::uint32_t, 256>, crc32_slices>;

constexpr Crc32Tables make_crc32_tables() {
  Crc32Tables tables{};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    std::uint32_t value = byte;
    for (int bit = 0; bit < 8; ++bit) value = (value >> 1) ^ ((value & 1U) != 0 ? 0xEDB88320U : 0U);
    tables[0][byte] = value;
  }
  for (std::size_t zeros = 1; zeros < tables.size(); ++zeros)
    for (std::size_t byte = 0; byte < 256; ++byte) {
      const std::uint32_t before = tables[zeros - 1][byte];
      tables[zeros][byte] = (before >> 8) ^ tables[0][before & 0xFFU];
    }
  return tables;
}
inline constexpr Crc32Tables crc32_tables = make_crc32_tables();

constexpr std::uint32_t little_endian_word(std::span<const std::byte, 4> bytes) {
  return static_cast<std::uint32_t>(bytes[0]) | static_cast<std::uint32_t>(bytes[1]) << 8 | static_cast<std::uint32_t>(bytes[2]) << 16 |
         static_cast<std::uint32_t>(bytes[3]) << 24;
}

/// Cores without unaligned loads take such words as they are, in place of eight bytes.
constexpr bool lies_at_word(std::span<const std::byte> bytes) {
  if (std::is_constant_evaluated() || std::endian::native != std::endian::little) return false;
  return std::bit_cast<std::uintptr_t>(bytes.data()) % sizeof(std::uint32_t) == 0;
}
constexpr std::uint32_t word_at(const std::byte* place) {
  std::uint32_t word = 0;
  __builtin_memcpy(&word, __builtin_assume_aligned(place, sizeof(word)), sizeof(word));
  return word;
}

/// Takes the eights of `bytes` off its front; gives the remainder behind `value`.
template <class Tables>
constexpr std::uint32_t crc32_of_eights(std::span<const std::byte>& bytes, const Tables& tables, std::uint32_t value) {
  const bool whole_words = lies_at_word(bytes);
  for (; bytes.size() >= 8; bytes = bytes.subspan(8)) {
    const std::uint32_t low = value ^ (whole_words ? word_at(bytes.data()) : little_endian_word(bytes.first<4>()));
    const std::uint32_t high = whole_words ? word_at(bytes.data() + 4) : little_endian_word(bytes.subspan<4, 4>());
    value = tables[7][low & 0xFFU] ^ tables[6][low >> 8 & 0xFFU] ^ tables[5][low >> 16 & 0xFFU] ^ tables[4][low >> 24] ^
            tables[3][high & 0xFFU] ^ tables[2][high >> 8 & 0xFFU] ^ tables[1][high >> 16 & 0xFFU] ^ tables[0][high >> 24];
  }
  return value;
}
}  // namespace detail

[[nodiscard]] constexpr std::uint32_t crc32(std::span<const std::byte> bytes) {
  const auto& tables = detail::crc32_tables;
  std::uint32_t value = ~std::uint32_t{0};
  if constexpr (detail::crc32_slices == 8) value = detail::crc32_of_eights(bytes, tables, value);
  for (const std::byte byte : bytes) value = (value >> 8) ^ tables[0][(value ^ static_cast<std::uint32_t>(byte)) & 0xFFU];
  return ~value;
}

}  // namespace tessera
