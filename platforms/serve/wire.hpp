#pragma once
// Integers as the served protocols send them: big-endian.
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace tessera::wire {

template <class Integer>
void put(std::vector<std::byte>& out, Integer value) {
  for (std::size_t byte = sizeof value; byte-- > 0;) out.push_back(static_cast<std::byte>(static_cast<std::uint64_t>(value) >> (8 * byte)));
}

template <class Integer>
[[nodiscard]] Integer get(std::span<const std::byte> in, std::size_t at) {
  std::uint64_t value = 0;
  for (std::size_t byte = 0; byte < sizeof(Integer); ++byte) value = value << 8U | std::to_integer<std::uint64_t>(in[at + byte]);
  return static_cast<Integer>(value);
}

}  // namespace tessera::wire
