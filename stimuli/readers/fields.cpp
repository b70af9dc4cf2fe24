#include "stimuli/readers/fields.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>

namespace tessera {
namespace {

constexpr bool is_blank(char c) { return c == ' ' || c == '\t'; }

// Lines are split eight bytes at a time: fields are short, and a call of memchr() for each takes longer.
static_assert(std::endian::native == std::endian::little, "the first byte in memory is the lowest of a word");
using Word = std::uint64_t;
constexpr std::ptrdiff_t word_bytes = sizeof(Word);

Word word_at(const char* text) {
  Word word = 0;
  std::memcpy(&word, text, sizeof word);
  return word;
}

/// The highest bit of each byte that is `c`.
constexpr Word bytes_that_are(char c, Word word) {
  constexpr Word ones = 0x0101010101010101;
  constexpr Word low_bits = 0x7f * ones;
  const Word other = word ^ (static_cast<unsigned char>(c) * ones);
  return ~(((other & low_bits) + low_bits) | other | low_bits);
}

/// The byte of the lowest bit that is set.
std::ptrdiff_t first_byte(Word bits) { return std::countr_zero(bits) / 8; }

}  // namespace

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

bool same_word(std::string_view text, std::string_view lower) {
  return std::equal(text.begin(), text.end(), lower.begin(), lower.end(),
                    [](char a, char b) { return (a >= 'A' && a <= 'Z' ? static_cast<char>(a + ('a' - 'A')) : a) == b; });
}

void Fields::add(const char* begin, const char* end) {
  if (size_ < capacity) fields_[size_] = trimmed({begin, static_cast<std::size_t>(end - begin)});
  ++size_;
}

void Fields::split_quoted(std::string_view line) {
  const char* at = line.data();
  const char* const end = at + line.size();
  while (true) {
    while (at != end && is_blank(*at)) ++at;
    const bool quoted = at != end && *at == '"';
    const char* begin = quoted ? ++at : at;
    while (at != end && *at != (quoted ? '"' : separator_)) ++at;
    add(begin, at);
    while (at != end && *at != separator_) ++at;
    if (at == end) return;
    ++at;
  }
}

void Fields::split_at_separators(std::string_view line) {
  const char* at = line.data();
  const char* const end = at + line.size();
  const char* begin = at;
  const auto separate = [&](const char* separator) {
    add(begin, separator);
    begin = separator + 1;
  };
  for (; end - at >= word_bytes; at += word_bytes)
    for (Word found = bytes_that_are(separator_, word_at(at)); found != 0; found &= found - 1) separate(at + first_byte(found));
  for (; at != end; ++at)
    if (*at == separator_) separate(at);
  add(begin, end);
}

void Fields::split_at_blanks(std::string_view line) {
  const char* at = line.data();
  const char* const end = at + line.size();
  const char* begin = at;
  bool after_blank = true;
  const auto change = [&](const char* where) {
    if (after_blank)
      begin = where;
    else
      add(begin, where);
    after_blank = !after_blank;
  };
  for (; end - at >= word_bytes; at += word_bytes) {
    const Word word = word_at(at);
    const Word blank = bytes_that_are(' ', word) | bytes_that_are('\t', word);
    for (Word found = blank ^ (blank << 8U | (after_blank ? 0x80U : 0U)); found != 0; found &= found - 1) change(at + first_byte(found));
  }
  for (; at != end; ++at)
    if (is_blank(*at) != after_blank) change(at);
  if (!after_blank) add(begin, end);
}

void Fields::split(std::string_view line) {
  size_ = 0;
  if (quotes_)
    split_quoted(line);
  else if (separator_ == ' ')
    split_at_blanks(line);
  else
    split_at_separators(line);
}

}  // namespace tessera
