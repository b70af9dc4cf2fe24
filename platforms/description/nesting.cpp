#include "platforms/description/nesting.hpp"

#include <algorithm>
#include <vector>

namespace tessera {

namespace {

/// The end of a string or comment that begins at `at`; a string that is not closed ends with the line, or with the text if it may span
/// lines.
std::size_t end_of_token(std::string_view text, std::size_t at) {
  const char first = text[at];
  if (first == '#') return std::min(text.find('\n', at), text.size());
  const bool spans_lines = text.substr(at).starts_with(first == '"' ? "\"\"\"" : "'''");
  const std::string_view closing = text.substr(at, spans_lines ? 3 : 1);
  for (std::size_t i = at + closing.size(); i < text.size(); ++i) {
    if (first == '"' && text[i] == '\\')
      ++i;
    else if (text.substr(i).starts_with(closing))
      return i + closing.size();
    else if (text[i] == '\n' && !spans_lines)
      return i;
  }
  return text.size();
}

}  // namespace

std::size_t line_nested_too_deep(std::string_view toml) {
  std::size_t line = 1;
  std::vector<std::size_t> outside;  // parts of the keys around each open bracket
  std::size_t around = 0;            // their sum, brackets included
  std::size_t parts = 0;             // dots of the key in hand
  for (std::size_t i = 0; i < toml.size(); ++i) {
    const char c = toml[i];
    if (c == '#' || c == '"' || c == '\'') {
      const std::size_t end = end_of_token(toml, i);
      for (; i + 1 < end; ++i) line += toml[i] == '\n' ? 1 : 0;
      line += toml[i] == '\n' ? 1 : 0;
    } else if (c == '[' || c == '{') {
      outside.push_back(parts + 1);
      around += parts + 1;
      parts = 0;
    } else if (c == ']' || c == '}') {
      if (!outside.empty()) {
        around -= outside.back();
        outside.pop_back();
      }
      parts = 0;
    } else if (c == '.') {
      ++parts;
    } else if (c == ',' || c == '\n') {
      parts = 0;
      if (c == '\n') ++line;
    }
    if (around + parts > deepest_nesting) return line;
  }
  return 0;
}

}  // namespace tessera
