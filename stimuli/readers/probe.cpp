#include "stimuli/readers/probe.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>

namespace tessera {
namespace {

constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";

/// Lines of `text` that are neither blank nor comments; the last one only where it is `complete`.
void add_lines(std::string_view text, bool complete, std::vector<std::string_view>& lines) {
  if (text.starts_with(byte_order_mark)) text.remove_prefix(byte_order_mark.size());
  while (!text.empty() && lines.size() < Sample::most_lines) {
    const auto end = text.find('\n');
    if (end == std::string_view::npos && !complete) return;
    auto line = text.substr(0, end);
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    if (line.ends_with('\r')) line.remove_suffix(1);
    line = trimmed(line);
    if (!line.empty() && line[0] != '#' && line[0] != '%') lines.push_back(line);
  }
}

}  // namespace

Sample::Sample(ByteStream& content) {
  bytes.resize(head_bytes);
  bytes.resize(content.read(bytes));
  whole = bytes.size() < head_bytes;
  add_lines(bytes, whole, lines);
}

void Sample::look_elsewhere(const std::string& path) {
  constexpr std::uint64_t window = std::uint64_t{1} << 16;
  if (whole || !std::filesystem::is_regular_file(path)) return;
  std::ifstream file(path, std::ios::binary);
  std::string start(64, '\0');
  file.read(start.data(), static_cast<std::streamsize>(start.size()));
  if (!file || bytes.compare(0, start.size(), start) != 0) return;  // compressed: its middle is no text
  const auto size = static_cast<std::uint64_t>(std::filesystem::file_size(path));
  for (const std::uint64_t at : {size / 2, size - std::min(size, window)}) {
    if (at < bytes.size()) continue;
    std::string part(std::min(window, size - at), '\0');
    file.seekg(static_cast<std::streamoff>(at));
    file.read(part.data(), static_cast<std::streamsize>(part.size()));
    part.resize(static_cast<std::size_t>(file.gcount()));
    file.clear();
    const auto begin = part.find('\n');
    const auto end = part.rfind('\n');
    if (begin == std::string::npos || begin == end) continue;
    elsewhere.append(part, begin + 1, end - begin);
  }
  add_lines(elsewhere, true, elsewhere_lines);
}

Fields Sample::first(char separator) const {
  Fields fields(separator);
  if (!lines.empty()) fields.split(lines.front());
  return fields;
}

std::string_view Sample::whole_lines() const {
  std::string_view text = bytes;
  if (text.find('\0') != std::string_view::npos) return text;  // no text: its records end anywhere
  return whole ? text : text.substr(0, text.rfind('\n') + 1);
}

std::vector<Evidence> fits(double score, double share) {
  if (share < 0.5) return {};
  return {{score * share, "", ""}};
}

std::string rate_text(double rate) {
  char text[64];
  if (rate < 100) {
    std::snprintf(text, sizeof text, "%.3g", rate);
    return text;
  }
  std::snprintf(text, sizeof text, "%.0f", rate);
  std::string digits = text;
  for (auto at = digits.size(); at > 3; at -= 3) digits.insert(at - 3, ",");
  return digits;
}

}  // namespace tessera
