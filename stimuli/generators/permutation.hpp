#pragma once
// A random bijection of 0 .. n-1 without a table.
#include <array>
#include <cstdint>

#include "base/random.hpp"

namespace tessera {

/// An unbalanced Feistel network over the next power of two, with cycle walking: values outside 0 .. n-1 are mapped again until
/// they fall inside (Black and Rogaway, Ciphers with Arbitrary Finite Domains, 2002). Less than two rounds of walking on average.
class Permutation {
 public:
  /// `size` from 1 on.
  Permutation(std::uint64_t size, RandomStream& random);
  [[nodiscard]] std::uint64_t size() const { return size_; }
  /// The image of `index`, which must be below size().
  [[nodiscard]] std::uint64_t operator()(std::uint64_t index) const;

 private:
  static constexpr unsigned rounds = 6;
  std::uint64_t size_;
  unsigned low_bits_;
  std::uint64_t low_mask_;
  std::uint64_t high_mask_;
  std::array<std::uint64_t, rounds> keys_{};
};

}  // namespace tessera
