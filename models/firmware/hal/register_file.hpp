#pragma once
// The machine as the ports see it: registers by name, and everything else by its address in memory.
#include <cstdint>

#include "base/data_buffer.hpp"
#include "firmware/hal/register_map.hpp"

namespace tessera::hal {

class RegisterFile {
 public:
  [[nodiscard]] virtual std::uint64_t read(Register which) = 0;
  virtual void write(Register which, std::uint64_t value) = 0;

 protected:
  ~RegisterFile() = default;
};

/// Of something in the firmware's memory, as the devices name it.
[[nodiscard]] inline std::uint64_t address_of(const void* where) { return reinterpret_cast<std::uintptr_t>(where); }
/// Of the first of a span's sectors; 0 where it has no buffer.
[[nodiscard]] inline std::uint64_t address_of(const DataSpan& span) {
  if (span.buffer == nullptr) return 0;
  return span.buffer->address().value() + std::uint64_t{span.first} * span.buffer->shape().sector_bytes;
}

/// What a device has named.
template <class T>
[[nodiscard]] T* at_address(std::uint64_t address) {
  return reinterpret_cast<T*>(static_cast<std::uintptr_t>(address));  // NOLINT(performance-no-int-to-ptr): the machine names by address
}

}  // namespace tessera::hal
