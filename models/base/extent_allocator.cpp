#include "base/extent_allocator.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "base/check.hpp"

namespace tessera {

namespace {

/// The bits of units [begin, end) in their word number `word`.
constexpr std::uint64_t bits(std::uint64_t begin, std::uint64_t end, std::uint64_t word) {
  const std::uint64_t from = begin > word * 64 ? begin - word * 64 : 0;
  const std::uint64_t to = std::min<std::uint64_t>(end - word * 64, 64);
  return (~std::uint64_t{0} << from) & (~std::uint64_t{0} >> (64 - to));
}

/// Those of an extent that lies in a single word, as most do; otherwise none.
constexpr std::uint64_t bits_of_one_word(std::uint64_t begin, std::uint64_t length) {
  return begin % 64 + length <= 64 ? (~std::uint64_t{0} >> (64 - length)) << begin % 64 : 0;
}

}  // namespace

inline std::optional<std::uint64_t> ExtentAllocator::last_held(std::uint64_t begin, std::uint64_t end) const {
  for (std::uint64_t word = (end - 1) / 64 + 1; word-- > begin / 64;)
    if (const std::uint64_t held = words_[word] & bits(begin, end, word); held != 0)
      return word * 64 + 63 - static_cast<std::uint64_t>(std::countl_zero(held));
  return std::nullopt;
}

std::optional<std::uint64_t> ExtentAllocator::take(std::uint64_t length) {
  if (length > units_ - held_) return std::nullopt;
  std::uint64_t begin = next_;
  if (const std::uint64_t mask = bits_of_one_word(begin, length);
      mask != 0 && begin + length <= units_ && (words_[begin / 64] & mask) == 0) {
    words_[begin / 64] |= mask;
    held_ += length;
    next_ = begin + length;
    return begin;
  }
  bool whole = begin == 0;  // all of the space is looked at
  while (true) {
    const std::uint64_t end = begin + length;
    if (end > units_) {
      if (std::exchange(whole, true)) return std::nullopt;
      begin = 0;
    } else if (const auto held = last_held(begin, end)) {
      begin = *held + 1;
    } else {
      for (std::uint64_t word = begin / 64; word * 64 < end; ++word) words_[word] |= bits(begin, end, word);
      held_ += length;
      next_ = end;
      return begin;
    }
  }
}

void ExtentAllocator::give_back(std::uint64_t begin, std::uint64_t length) {
  held_ -= length;
  if (const std::uint64_t mask = bits_of_one_word(begin, length); mask != 0) {
    TESSERA_CHECK((words_[begin / 64] & mask) == mask, "an extent was given back that is not held");
    words_[begin / 64] &= ~mask;
    return;
  }
  const std::uint64_t end = begin + length;
  for (std::uint64_t word = begin / 64; word * 64 < end; ++word) {
    const std::uint64_t mask = bits(begin, end, word);
    TESSERA_CHECK((words_[word] & mask) == mask, "an extent was given back that is not held");
    words_[word] &= ~mask;
  }
}

void ExtentAllocator::clear() {
  std::ranges::fill(words_, 0);
  held_ = next_ = 0;
}

}  // namespace tessera
