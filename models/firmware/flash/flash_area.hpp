#pragma once
// A part of the drive's flash.
#include <cstdint>

namespace tessera {

/// Flash blocks [first, end).
struct FlashArea {
  std::uint64_t first = 0;
  std::uint64_t end = 0;
  [[nodiscard]] std::uint64_t blocks() const { return end - first; }
};

}  // namespace tessera
