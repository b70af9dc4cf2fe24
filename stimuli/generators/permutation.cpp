#include "stimuli/generators/permutation.hpp"

#include <bit>

#include "base/check.hpp"

namespace tessera {

namespace {

/// The finaliser of MurmurHash3 (Appleby): any function serves as a Feistel round, a well-mixing one makes the result look random.
std::uint64_t mix(std::uint64_t value) {
  value = (value ^ (value >> 33)) * 0xff51afd7ed558ccdULL;
  value = (value ^ (value >> 33)) * 0xc4ceb9fe1a85ec53ULL;
  return value ^ (value >> 33);
}

}  // namespace

Permutation::Permutation(std::uint64_t size, RandomStream& random) : size_(size) {
  TESSERA_CHECK(size >= 1 && size <= std::uint64_t{1} << 62, "a permutation of nothing, or of too much");
  const auto bits = static_cast<unsigned>(std::bit_width(size - 1));
  low_bits_ = bits / 2;
  low_mask_ = (std::uint64_t{1} << low_bits_) - 1;
  high_mask_ = (std::uint64_t{1} << (bits - low_bits_)) - 1;
  for (auto& key : keys_) key = random();
}

std::uint64_t Permutation::operator()(std::uint64_t index) const {
  do {
    std::uint64_t low = index & low_mask_;
    std::uint64_t high = index >> low_bits_;
    for (unsigned round = 0; round < rounds; round += 2) {
      high ^= mix(low + keys_[round]) & high_mask_;
      low ^= mix(high + keys_[round + 1]) & low_mask_;
    }
    index = (high << low_bits_) | low;
  } while (index >= size_);
  return index;
}

}  // namespace tessera
