#pragma once
// What the instructions compute where C++ has no operator for it.
#include <cstdint>
#include <limits>
#include <type_traits>

#include "processor/instruction.hpp"

namespace tessera::riscv {

template <class Word>
[[nodiscard]] constexpr std::make_signed_t<Word> as_signed(Word value) {
  return static_cast<std::make_signed_t<Word>>(value);
}

/// A 32-bit result in a register.
template <class Word>
[[nodiscard]] constexpr Word from_32(std::uint32_t value) {
  return static_cast<Word>(static_cast<std::make_signed_t<Word>>(static_cast<std::int32_t>(value)));
}

template <class Word>
[[nodiscard]] constexpr Word shift_right_arithmetic(Word value, unsigned by) {
  return static_cast<Word>(as_signed(value) >> by);
}

/// The upper half of a product; SignedA and SignedB say which operands have a sign.
template <bool SignedA, bool SignedB, class Word>
[[nodiscard]] constexpr Word multiply_high(Word a, Word b) {
  constexpr unsigned bits = std::numeric_limits<Word>::digits;
  using Wide = std::conditional_t<bits == 32, std::uint64_t, unsigned __int128>;
  Wide high = (static_cast<Wide>(a) * b) >> bits;
  if (SignedA && as_signed(a) < 0) high -= b;
  if (SignedB && as_signed(b) < 0) high -= a;
  return static_cast<Word>(high);
}

// Division by zero and overflow trap nowhere (volume I, table 7.1).
template <class Word>
[[nodiscard]] constexpr Word divide_unsigned(Word a, Word b) {
  return b == 0 ? std::numeric_limits<Word>::max() : static_cast<Word>(a / b);
}
template <class Word>
[[nodiscard]] constexpr Word remainder_unsigned(Word a, Word b) {
  return b == 0 ? a : static_cast<Word>(a % b);
}
template <class Word>
[[nodiscard]] constexpr Word divide_signed(Word a, Word b) {
  if (b == 0) return std::numeric_limits<Word>::max();
  if (b == std::numeric_limits<Word>::max()) return static_cast<Word>(0 - a);  // by -1
  return static_cast<Word>(as_signed(a) / as_signed(b));
}
template <class Word>
[[nodiscard]] constexpr Word remainder_signed(Word a, Word b) {
  if (b == 0) return a;
  if (b == std::numeric_limits<Word>::max()) return 0;
  return static_cast<Word>(as_signed(a) % as_signed(b));
}

/// What a load puts into its register, of what memory has in the value's lower bytes.
[[nodiscard]] constexpr std::uint64_t loaded_value(Op op, std::uint64_t value) {
  switch (op) {
    case Op::lb: return from_32<std::uint64_t>(static_cast<std::uint32_t>(static_cast<std::int8_t>(value)));
    case Op::lh: return from_32<std::uint64_t>(static_cast<std::uint32_t>(static_cast<std::int16_t>(value)));
    case Op::lw: return from_32<std::uint64_t>(static_cast<std::uint32_t>(value));
    case Op::lbu: return static_cast<std::uint8_t>(value);
    case Op::lhu: return static_cast<std::uint16_t>(value);
    case Op::lwu: return static_cast<std::uint32_t>(value);
    default: return value;
  }
}

}  // namespace tessera::riscv
