#include "base/sparse_bytes.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "base/check.hpp"

namespace tessera {

namespace {

constexpr std::size_t group_bytes = 8;
constexpr std::uint64_t ones = 0x0101'0101'0101'0101;
constexpr std::size_t longest_run = 255;  // of groups after the first

/// Eight bytes, or the last of them.
std::uint64_t group_at(std::span<const std::byte> bytes, std::size_t at) {
  std::uint64_t group = 0;
  std::memcpy(&group, bytes.data() + at, std::min(bytes.size() - at, group_bytes));
  return group;
}

}  // namespace

std::size_t pack(std::span<const std::byte> bytes, std::span<std::byte> packed) {
  TESSERA_CHECK(packed.size() >= most_packed(bytes.size()), "no room to pack bytes into");
  std::byte* to = packed.data();
  std::size_t empty = 0;  // groups
  for (std::size_t at = 0; at < bytes.size(); at += group_bytes) {
    const std::uint64_t group = group_at(bytes, at);
    if (group == 0) {
      ++empty;
      continue;
    }
    for (; empty != 0; empty -= std::min(empty, longest_run + 1)) {
      *to++ = std::byte{0};
      *to++ = static_cast<std::byte>(std::min(empty, longest_run + 1) - 1);
    }
    // The highest bit of each byte that is not 0, gathered in the lowest byte.
    const std::uint64_t high = (((group & ~(ones << 7)) + (ones * 0x7f)) | group) & (ones << 7);
    auto mask = static_cast<unsigned>(((high >> 7) * 0x0102'0408'1020'4080) >> 56);
    *to++ = static_cast<std::byte>(mask);
    for (; mask != 0; mask &= mask - 1) *to++ = static_cast<std::byte>(group >> (8 * __builtin_ctz(mask)) & 0xff);
  }
  return static_cast<std::size_t>(to - packed.data());
}

void unpack(std::span<const std::byte> packed, std::span<std::byte> bytes) {
  std::ranges::fill(bytes, std::byte{0});
  const std::byte* from = packed.data();
  const std::byte* const end = from + packed.size();
  for (std::size_t at = 0; from != end && at < bytes.size(); at += group_bytes) {
    auto mask = std::to_integer<unsigned>(*from++);
    if (mask == 0) at += group_bytes * std::to_integer<std::size_t>(*from++);
    for (; mask != 0; mask &= mask - 1) {
      const std::size_t place = at + static_cast<std::size_t>(__builtin_ctz(mask));
      if (place >= bytes.size()) return;
      bytes[place] = *from++;
    }
  }
}

}  // namespace tessera
