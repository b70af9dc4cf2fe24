#pragma once
// The machine as the ports see it: registers by name, and everything else by its address in memory.
#include <cstddef>
#include <cstdint>

#include "base/data_buffer.hpp"
#include "firmware/hal/register_map.hpp"

namespace tessera::hal {

/// A pointer as a number, and back: for what only firmware looks at, such as the cookie of a submission.
[[nodiscard]] inline std::uint64_t number_of(const void* where) { return reinterpret_cast<std::uintptr_t>(where); }
template <class T>
[[nodiscard]] T* by_number(std::uint64_t number) {
  return reinterpret_cast<T*>(static_cast<std::uintptr_t>(number));  // NOLINT(performance-no-int-to-ptr): the number of a pointer
}

class RegisterFile {
 public:
  [[nodiscard]] virtual std::uint64_t read(Register which) = 0;
  virtual void write(Register which, std::uint64_t value) = 0;

  // Memory, as firmware reaches it and as devices name it. On a chip a pointer is the machine's address, and devices reach all that the
  // firmware does.

  /// The address by which a device names what lies at `where`.
  [[nodiscard]] virtual std::uint64_t address_of(const void* where) { return number_of(where); }
  /// What a device has named.
  [[nodiscard]] virtual std::byte* at(std::uint64_t address) { return by_number<std::byte>(address); }
  /// Zeroed bytes for rings and descriptors, 8-byte aligned, until they are given back.
  [[nodiscard]] virtual std::byte* share(std::size_t bytes) { return new std::byte[bytes](); }
  virtual void give_back(std::byte* shared) { delete[] shared; }

 protected:
  ~RegisterFile() = default;
};

/// Of the first of a span's sectors; 0 where it has no buffer. A buffer of the firmware's has the machine's address.
[[nodiscard]] inline std::uint64_t address_of(const DataSpan& span) {
  if (span.buffer == nullptr) return 0;
  return span.buffer->address().value() + std::uint64_t{span.first} * span.buffer->shape().sector_bytes;
}

}  // namespace tessera::hal
