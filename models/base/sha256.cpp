#include "base/sha256.hpp"

#include <algorithm>
#include <bit>

namespace tessera {

namespace sha256 {

// FIPS 180-4, 4.2.2: the first 32 bits of the fractional parts of the cube roots of the first 64 primes.
alignas(16) const std::array<std::uint32_t, 64> constants = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be,
    0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa,
    0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85,
    0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3,
    0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f,
    0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

namespace {

std::uint32_t big_endian(std::span<const std::byte> bytes) {
  std::uint32_t word = 0;
  for (std::size_t i = 0; i < 4; ++i) word = (word << 8U) | std::to_integer<std::uint32_t>(bytes[i]);
  return word;
}

}  // namespace

void compress_plainly(Sha256::State& state, std::span<const std::byte> blocks) {
  using std::rotr;
  for (; !blocks.empty(); blocks = blocks.subspan(Sha256::block_bytes)) {
    std::array<std::uint32_t, 64> w{};
    for (std::size_t t = 0; t < 16; ++t) w[t] = big_endian(blocks.subspan(4 * t, 4));
    for (std::size_t t = 16; t < 64; ++t) {
      const std::uint32_t s0 = rotr(w[t - 15], 7) ^ rotr(w[t - 15], 18) ^ (w[t - 15] >> 3U);
      const std::uint32_t s1 = rotr(w[t - 2], 17) ^ rotr(w[t - 2], 19) ^ (w[t - 2] >> 10U);
      w[t] = w[t - 16] + s0 + w[t - 7] + s1;
    }
    auto [a, b, c, d, e, f, g, h] = state;
    for (std::size_t t = 0; t < 64; ++t) {
      const std::uint32_t t1 = h + (rotr(e, 6) ^ rotr(e, 11) ^ rotr(e, 25)) + ((e & f) ^ (~e & g)) + constants[t] + w[t];
      const std::uint32_t t2 = (rotr(a, 2) ^ rotr(a, 13) ^ rotr(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
      h = g;
      g = f;
      f = e;
      e = d + t1;
      d = c;
      c = b;
      b = a;
      a = t1 + t2;
    }
    const Sha256::State added{a, b, c, d, e, f, g, h};
    for (std::size_t i = 0; i < state.size(); ++i) state[i] += added[i];
  }
}

}  // namespace sha256

namespace {

void compress(Sha256::State& state, std::span<const std::byte> blocks) {
  static const sha256::Compress fast = sha256::by_instructions();
  (fast != nullptr ? fast : &sha256::compress_plainly)(state, blocks);
}

}  // namespace

void Sha256::add(std::span<const std::byte> bytes) {
  const std::size_t held = bytes_ % block_bytes;
  bytes_ += bytes.size();
  if (held != 0) {
    const auto front = bytes.first(std::min(bytes.size(), block_bytes - held));
    std::ranges::copy(front, rest_.begin() + static_cast<std::ptrdiff_t>(held));
    bytes = bytes.subspan(front.size());
    if (held + front.size() < block_bytes) return;
    compress(state_, rest_);
  }
  compress(state_, bytes.first(bytes.size() / block_bytes * block_bytes));
  std::ranges::copy(bytes.last(bytes.size() % block_bytes), rest_.begin());
}

std::string Sha256::text() const {
  // Padding: a bit of 1, zeros, and the length in bits as the last 64 of a block (FIPS 180-4, 5.1.1).
  const std::size_t held = bytes_ % block_bytes;
  std::array<std::byte, 2 * block_bytes> end{};
  std::copy_n(rest_.begin(), held, end.begin());
  end[held] = std::byte{0x80};
  const std::size_t length = held + 9 <= block_bytes ? block_bytes : 2 * block_bytes;
  for (std::size_t i = 0; i < 8; ++i) end[length - 1 - i] = static_cast<std::byte>((bytes_ * 8) >> (8 * i));
  State state = state_;
  compress(state, std::span(end).first(length));

  constexpr std::string_view digits = "0123456789abcdef";
  std::string text;
  for (const std::uint32_t word : state)
    for (unsigned shift = 32; shift > 0; shift -= 4) text += digits[(word >> (shift - 4)) & 0xfU];
  return text;
}

}  // namespace tessera
