#include "stimuli/readers/fields.hpp"

#include <algorithm>
#include <cstring>

namespace tessera {
namespace {

constexpr bool is_blank(char c) { return c == ' ' || c == '\t'; }

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

void Fields::split(std::string_view line) {
  size_ = 0;
  if (quotes_) {
    split_quoted(line);
    return;
  }
  const char* at = line.data();
  const char* const end = at + line.size();
  if (separator_ != ' ') {
    while (const void* const found = std::memchr(at, separator_, static_cast<std::size_t>(end - at))) {
      const char* const separator = static_cast<const char*>(found);
      add(at, separator);
      at = separator + 1;
    }
    add(at, end);
    return;
  }
  while (true) {
    while (at != end && is_blank(*at)) ++at;
    if (at == end) return;
    const char* begin = at;
    while (at != end && !is_blank(*at)) ++at;
    add(begin, at);
  }
}

}  // namespace tessera
