#pragma once
// Fields of structures that lie in memory byte by byte, little-endian, at any offset.
#include <cstddef>
#include <cstring>
#include <span>

namespace tessera::little_endian {

/// A field of `bytes`, or 0 beyond their end.
template <class Value>
[[nodiscard]] Value get(std::span<const std::byte> bytes, std::size_t at) {
  Value value = 0;
  if (at + sizeof(Value) <= bytes.size()) std::memcpy(&value, bytes.data() + at, sizeof(Value));
  return value;
}
template <class Value>
void put(std::span<std::byte> bytes, std::size_t at, Value value) {
  std::memcpy(bytes.data() + at, &value, sizeof(Value));
}

}  // namespace tessera::little_endian
