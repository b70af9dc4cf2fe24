#pragma once
// Bytes of the NBD protocol as hexadecimal digits.
#include <string>
#include <vector>

#include "platforms/serve/nbd_connection.hpp"

namespace tessera::test {

/// Big-endian bytes out of hexadecimal digits; blanks are for the reader.
inline std::vector<std::byte> bytes(const std::string& hex) {
  std::vector<std::byte> out;
  std::string digits;
  for (const char c : hex)
    if (c != ' ') digits += c;
  for (std::size_t i = 0; i < digits.size(); i += 2) out.push_back(static_cast<std::byte>(std::stoul(digits.substr(i, 2), nullptr, 16)));
  return out;
}

/// A number of so many bytes.
inline std::string hex(std::uint64_t value, unsigned width) {
  std::string digits;
  for (unsigned digit = 2 * width; digit-- > 0;) digits += "0123456789abcdef"[value >> (4 * digit) & 15U];
  return digits + " ";
}

inline std::vector<std::byte> drained(NbdConnection& connection) {
  const auto out = connection.out();
  std::vector<std::byte> all(out.begin(), out.end());
  connection.sent(all.size());
  return all;
}

}  // namespace tessera::test
