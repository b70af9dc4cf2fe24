#include "base/erased_rows.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "base/check.hpp"

namespace tessera {

namespace {

constexpr std::byte erased{0xff};
constexpr std::uint32_t erased_word = ~std::uint32_t{0};
constexpr std::uint64_t erased_pair = ~std::uint64_t{0};
constexpr std::size_t word_bytes = 4;
constexpr std::size_t words_per_group = 8;
constexpr std::size_t words_per_mask = 32;
constexpr std::size_t most_apart = (ErasedRows::longest / word_bytes) * (words_per_mask + 1) / words_per_mask;
constexpr unsigned mask_bits = 6;  // of a place
static_assert(ErasedRows::longest / word_bytes / words_per_mask < 1U << mask_bits);

using Group = std::array<std::uint64_t, 4>;  // eight words, of each two the first in the lower half

/// The words at `at` and after it; beyond the end they are erased.
Group group_at(std::span<const std::byte> bytes, std::size_t at) {
  Group group;
  if (bytes.size() - at >= sizeof(group)) [[likely]] {
    for (std::size_t i = 0; i < group.size(); ++i) std::memcpy(&group[i], bytes.data() + at + i * sizeof(group[i]), sizeof(group[i]));
    return group;
  }
  group.fill(erased_pair);
  std::memcpy(group.data(), bytes.data() + at, bytes.size() - at);
  return group;
}

}  // namespace

void ErasedRows::erase() {
  std::ranges::fill(places_, 0);
  size_ = 0;
}

void ErasedRows::move_to(std::size_t room) {
  auto words = std::make_unique_for_overwrite<std::uint32_t[]>(room);
  std::copy_n(words_.get(), size_, words.get());
  words_ = std::move(words);
  room_ = room;
}

void ErasedRows::write(std::uint32_t row, std::uint32_t rows, std::span<const std::byte> bytes) {
  TESSERA_CHECK(row < rows && bytes.size() <= longest, "a row of bytes lies outside its block, or is too long");
  if (places_.size() < rows) [[unlikely]]
    places_.resize(rows);
  const std::size_t count = (bytes.size() + word_bytes - 1) / word_bytes;
  const std::size_t masks = (count + words_per_mask - 1) / words_per_mask;
  if (row == last_ && places_[row] != 0) size_ = places_[row] >> mask_bits;
  // Where it may not fit it is packed apart, until its size is known.
  std::array<std::uint32_t, most_apart> apart;
  const bool fits = size_ + masks + count <= room_;
  std::uint32_t* const begin = fits ? words_.get() + size_ : apart.data();
  std::uint32_t* to = begin + masks;
  for (std::size_t mask = 0; mask < masks; ++mask) {
    std::uint32_t kept = 0;
    const std::size_t first = mask * words_per_mask;
    const std::size_t end = std::min(words_per_mask, count - first);
    for (std::size_t word = 0; word < end; word += words_per_group) {
      const Group group = group_at(bytes, (first + word) * word_bytes);
      if ((group[0] & group[1] & group[2] & group[3]) == erased_pair) continue;
      std::uint32_t of_group = 0;
      const auto keep = [&of_group, &to](std::uint64_t value, std::uint32_t bit) {
        const auto one = static_cast<std::uint32_t>(value);
        if (one == erased_word) return;
        *to++ = one;
        of_group |= bit;
      };
#pragma GCC unroll 4
      for (std::size_t i = 0; i < group.size(); ++i) {
        if (group[i] == erased_pair) continue;
        keep(group[i], 1U << 2 * i);
        keep(group[i] >> 32U, 2U << 2 * i);
      }
      kept |= of_group << word;
    }
    begin[mask] = kept;
  }
  places_[row] = static_cast<std::uint32_t>(size_ << mask_bits | masks);
  const auto packed = static_cast<std::size_t>(to - begin);
  if (!fits) {
    // Pages of a block are written in order, and their rows are about as long as each other.
    const std::size_t needed = size_ + packed;
    if (needed > room_) move_to(needed * rows / (row + 1));
    std::copy_n(begin, packed, words_.get() + size_);
  }
  size_ += packed;
  last_ = row;
  if (row + 1 == rows && size_ < room_) move_to(size_);  // mostly the last one that is written
}

void ErasedRows::read(std::uint32_t row, std::span<std::byte> bytes) const {
  std::ranges::fill(bytes, erased);
  if (row >= places_.size()) return;
  const std::size_t masks = places_[row] & ((1U << mask_bits) - 1);
  const std::uint32_t* const mask = words_.get() + (places_[row] >> mask_bits);
  const std::uint32_t* from = mask + masks;
  for (std::size_t group = 0; group < masks; ++group)
    for (std::uint32_t kept = mask[group]; kept != 0; kept &= kept - 1, ++from) {
      const std::size_t at = (group * words_per_mask + static_cast<std::size_t>(std::countr_zero(kept))) * word_bytes;
      if (at + word_bytes <= bytes.size()) [[likely]] {
        std::memcpy(bytes.data() + at, from, word_bytes);
        continue;
      }
      if (at < bytes.size()) std::memcpy(bytes.data() + at, from, bytes.size() - at);
      return;
    }
}

}  // namespace tessera
