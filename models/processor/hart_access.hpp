#pragma once
// Loads, stores and atomic operations of a hart: the quick way, where the page was touched before. Included where they are executed.
#include <bit>
#include <cstring>
#include <type_traits>

#include "processor/hart.hpp"

namespace tessera::riscv {

static_assert(std::endian::native == std::endian::little, "the hart's memory is little-endian, and so must the host's be");

template <class T>
inline Hart::Access Hart::read(std::uint64_t address, T& value) {
  if (const std::byte* at = readable_.find<T>(address)) [[likely]] {
    std::memcpy(&value, at, sizeof(T));
    return Access::done;
  }
  std::uint64_t wide = 0;
  const Access access = read_elsewhere(address, sizeof(T), wide);
  value = static_cast<T>(wide);
  return access;
}

template <class T>
inline Hart::Access Hart::write(std::uint64_t address, T value) {
  if (std::byte* at = writable_.find<T>(address)) [[likely]] {
    std::memcpy(at, &value, sizeof(T));
    return Access::done;
  }
  return write_elsewhere(address, sizeof(T), value);
}

}  // namespace tessera::riscv
