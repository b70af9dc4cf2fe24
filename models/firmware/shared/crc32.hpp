#pragma once
// CRC-32 of metadata records (IEEE 802.3: reflected polynomial 0xEDB88320, initial value and final inversion all ones).
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace tessera {

namespace detail {
constexpr std::array<std::uint32_t, 256> make_crc32_table() {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    std::uint32_t value = byte;
    for (int bit = 0; bit < 8; ++bit) value = (value >> 1) ^ ((value & 1U) != 0 ? 0xEDB88320U : 0U);
    table[byte] = value;
  }
  return table;
}
inline constexpr std::array<std::uint32_t, 256> crc32_table = make_crc32_table();
}  // namespace detail

[[nodiscard]] constexpr std::uint32_t crc32(std::span<const std::byte> bytes) {
  std::uint32_t value = ~std::uint32_t{0};
  for (const std::byte byte : bytes) value = (value >> 8) ^ detail::crc32_table[(value ^ static_cast<std::uint32_t>(byte)) & 0xFFU];
  return ~value;
}

}  // namespace tessera
