#pragma once
// The CRC-32 of a record that ends with many zeros: their number costs only its logarithm.
#include "firmware/logs/crc32.hpp"

namespace tessera {

namespace detail {
/// a * b modulo the polynomial; the upper bit is x^0.
constexpr std::uint32_t crc32_product(std::uint32_t a, std::uint32_t b) {
  std::uint32_t product = 0;
  for (std::uint32_t power = std::uint32_t{1} << 31; power != 0; power >>= 1) {
    if ((a & power) != 0) product ^= b;
    b = (b >> 1) ^ ((b & 1U) != 0 ? 0xEDB88320U : 0U);
  }
  return product;
}

/// The remainder after `zeros` more bytes of zero: a product with x^(8 zeros), by squaring.
constexpr std::uint32_t crc32_of_zeros(std::uint32_t value, std::uint64_t zeros) {
  for (std::uint32_t factor = std::uint32_t{1} << 23; zeros != 0; zeros >>= 1, factor = crc32_product(factor, factor))
    if ((zeros & 1U) != 0) value = crc32_product(factor, value);
  return value;
}
}  // namespace detail

/// Of `bytes` with `zeros` bytes of zero after them.
[[nodiscard]] constexpr std::uint32_t crc32_with_zeros(std::span<const std::byte> bytes, std::uint64_t zeros) {
  return ~detail::crc32_of_zeros(~crc32(bytes), zeros);
}

}  // namespace tessera
