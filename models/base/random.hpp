#pragma once
// Named random streams from one seed. A stream's numbers depend on the seed and its name alone, so a new
// consumer never shifts the numbers of an old one.
#include <cstdint>
#include <string_view>

#include "base/wide.hpp"

namespace tessera {

/// xoshiro256** (Blackman and Vigna, 2018), seeded by SplitMix64 over the seed and an FNV-1a hash of the name.
class RandomStream {
 public:
  using result_type = std::uint64_t;

  RandomStream(std::uint64_t seed, std::string_view name) {
    std::uint64_t hash = 14695981039346656037ULL;
    for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
    std::uint64_t state = seed ^ hash;
    for (auto& word : state_) word = split_mix(state);
  }

  static constexpr result_type min() { return 0; }
  static constexpr result_type max() { return ~result_type{0}; }

  result_type operator()() {
    const std::uint64_t result = rotl(state_[1] * 5, 7) * 9;
    const std::uint64_t t = state_[1] << 17;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= t;
    state_[3] = rotl(state_[3], 45);
    return result;
  }

  /// Uniform in [0, bound); bound must not be 0. Lemire's multiply-shift; its bias is below 2^-64 * bound.
  std::uint64_t below(std::uint64_t bound) { return high_word(wide_product((*this)(), bound)); }

  /// Uniform in [0, 1) with 53 bits.
  double unit() { return static_cast<double>((*this)() >> 11) * 0x1.0p-53; }

 private:
  static std::uint64_t rotl(std::uint64_t x, int k) { return (x << k) | (x >> (64 - k)); }
  static std::uint64_t split_mix(std::uint64_t& state) {
    std::uint64_t z = (state += 0x9e3779b97f4a7c15ULL);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
  }

  std::uint64_t state_[4]{};
};

}  // namespace tessera
