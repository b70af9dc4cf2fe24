#pragma once
// Logarithmic buckets: 2^step_bits linear steps an octave, so that a bucket is at most 2^-step_bits of its values wide.
#include <bit>
#include <cstddef>
#include <cstdint>

namespace tessera {

/// Of a value; small values have a bucket each.
[[nodiscard]] constexpr std::size_t log_bucket(std::uint64_t value, unsigned step_bits) {
  const auto width = static_cast<unsigned>(std::bit_width(value));
  if (width <= step_bits + 1) return static_cast<std::size_t>(value);
  const unsigned shift = width - step_bits - 1;
  return (static_cast<std::size_t>(shift) << step_bits) + static_cast<std::size_t>(value >> shift);
}

}  // namespace tessera
