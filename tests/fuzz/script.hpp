#pragma once
// The bytes of a fuzzer as a script: numbers and pieces of text, taken from its front, and zeros behind its end.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>

namespace tessera::test {

inline void demand(bool holds) {
  if (!holds) std::abort();
}

class Script {
 public:
  Script(const std::uint8_t* data, std::size_t size) : left_(reinterpret_cast<const std::byte*>(data), size) {}

  [[nodiscard]] bool ended() const { return left_.empty(); }
  std::uint8_t byte() {
    const auto piece = text(1);
    return piece.empty() ? std::uint8_t{0} : std::to_integer<std::uint8_t>(piece[0]);
  }
  std::uint32_t number() { return byte() | static_cast<std::uint32_t>(byte()) << 8U; }
  std::span<const std::byte> text(std::size_t length) {
    const auto piece = left_.first(std::min(length, left_.size()));
    left_ = left_.subspan(piece.size());
    return piece;
  }

 private:
  std::span<const std::byte> left_;
};

}  // namespace tessera::test
