#pragma once
// Which bytes of a transaction take part, as a TLM-2.0 payload says it (IEEE 1666-2011, 14.12): a pattern of 0 and 0xff that repeats over
// the data. All targets of a drive look at it here. A byte that does not take part is neither written nor given.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace tessera {

class ByteEnables {
 public:
  /// All bytes.
  ByteEnables() = default;
  /// Byte i as pattern[i % pattern.size()] says.
  explicit ByteEnables(std::span<const unsigned char> pattern) : pattern_(pattern) {}

  [[nodiscard]] bool operator[](std::size_t i) const { return pattern_.empty() || pattern_[i % pattern_.size()] != 0; }
  /// Of `count` bytes from `first` on.
  [[nodiscard]] bool all(std::size_t first, std::size_t count) const {
    return pattern_.empty() || number(first, std::min(count, pattern_.size())) == std::min(count, pattern_.size());
  }
  [[nodiscard]] bool any(std::size_t first, std::size_t count) const {
    return number(first, pattern_.empty() ? count : std::min(count, pattern_.size())) != 0;
  }
  /// Copies those that take part; `first` is the number of the first of them in the transaction.
  void copy(void* to, const void* from, std::size_t count, std::size_t first = 0) const {
    if (pattern_.empty()) {
      std::memcpy(to, from, count);
      return;
    }
    for (std::size_t i = 0; i < count; ++i)
      if ((*this)[first + i]) static_cast<unsigned char*>(to)[i] = static_cast<const unsigned char*>(from)[i];
  }

 private:
  [[nodiscard]] std::size_t number(std::size_t first, std::size_t count) const {
    std::size_t enabled = 0;
    for (std::size_t i = first; i < first + count; ++i) enabled += (*this)[i];
    return enabled;
  }

  std::span<const unsigned char> pattern_;
};

/// Those of a tlm_generic_payload.
template <class Payload>
[[nodiscard]] ByteEnables enables_of(const Payload& payload) {
  if (payload.get_byte_enable_ptr() == nullptr) [[likely]]
    return {};
  return ByteEnables({payload.get_byte_enable_ptr(), payload.get_byte_enable_length()});
}

/// Whether it deserves TLM_BYTE_ENABLE_ERROR_RESPONSE: a pattern of no length, or of other values than 0 and 0xff.
template <class Payload>
[[nodiscard]] bool has_wrong_enables(const Payload& payload) {
  if (payload.get_byte_enable_ptr() == nullptr) [[likely]]
    return false;
  const std::span pattern(payload.get_byte_enable_ptr(), payload.get_byte_enable_length());
  return pattern.empty() || !std::ranges::all_of(pattern, [](unsigned char value) { return value == 0 || value == 0xff; });
}

/// The part of a write of 4 or 8 bytes that reaches a register. A write of any other length stays as it is.
struct RegisterWrite {
  /// Whether 8 bytes are two registers, or one that a write of its lower half completes.
  enum class Eight : std::uint8_t { two, one };

  std::size_t first = 0;                   ///< byte of the payload at which it begins
  std::uint32_t bytes = 0;                 ///< 0: nothing is enabled
  std::uint64_t mask = ~std::uint64_t{0};  ///< of the bits that are written

  RegisterWrite(const ByteEnables& enables, std::uint32_t length, Eight eight) : bytes(length) {
    constexpr std::size_t half = 4;
    if ((length != half && length != 2 * half) || enables.all(0, length)) return;
    if (length == 2 * half && !enables.any(0, half)) {
      first = half;
      bytes = half;
    } else if (eight == Eight::two && length == 2 * half && !enables.any(half, half)) {
      bytes = half;
    }
    if (!enables.any(first, bytes)) bytes = 0;
    for (std::size_t i = 0; i < bytes; ++i)
      if (!enables[first + i]) mask &= ~(std::uint64_t{0xff} << (8 * i));
  }
  /// Whether bytes are left out.
  [[nodiscard]] bool merges() const { return mask != ~std::uint64_t{0}; }
  /// What is written to a register that held `before`.
  [[nodiscard]] std::uint64_t merged(std::uint64_t value, std::uint64_t before) const { return (value & mask) | (before & ~mask); }
};

}  // namespace tessera
