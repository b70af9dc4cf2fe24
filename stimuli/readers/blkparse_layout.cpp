#include "stimuli/readers/blkparse_layout.hpp"

#include <algorithm>

#include "base/error.hpp"

namespace tessera {
namespace {

constexpr std::string_view directives = "acCdDegmMnNpsSTtuU";  // blkparse(1), FORMAT
constexpr bool separates(char c) { return c == ' ' || c == '\t'; }

std::string_view* field_of(char directive, BlkparseFields& fields) {
  switch (directive) {
    case 'D': return &fields.device;
    case 'M': return &fields.major;
    case 'm': return &fields.minor;
    case 'T': return &fields.seconds;
    case 't': return &fields.nanoseconds;
    case 'a': return &fields.action;
    case 'd': return &fields.rwbs;
    case 'S': return &fields.sector;
    case 'n': return &fields.sectors;
    case 'N': return &fields.bytes;
    default: return nullptr;
  }
}

/// "\n" and "\t", as a shell passes them on, are blanks at which a line is split anyway.
std::string unescaped(std::string_view format) {
  std::string text;
  for (std::size_t i = 0; i < format.size(); ++i) {
    const bool escape = format[i] == '\\' && i + 1 < format.size() && (format[i + 1] == 'n' || format[i + 1] == 't');
    text += escape || format[i] == '\n' ? ' ' : format[i];
    i += escape ? 1 : 0;
  }
  return text;
}

}  // namespace

BlkparseLayout::BlkparseLayout(const std::string& format) : text_(format) {
  const auto fail = [&](const std::string& why) { throw InputError("--format blkparse: the layout '" + format + "' " + why); };
  const std::string text = unescaped(format);
  for (std::size_t i = 0; i < text.size();) {
    if (separates(text[i])) {
      ++i;
    } else if (text[i] != '%') {
      if (parts_.empty() || parts_.back().directive != 0 || separates(text[i - 1])) parts_.emplace_back();
      parts_.back().literal += text[i++];
    } else {
      ++i;
      while (i < text.size() && (text[i] == '-' || (text[i] >= '0' && text[i] <= '9'))) ++i;
      if (i == text.size()) fail("ends after '%'");
      if (directives.find(text[i]) == std::string_view::npos)
        fail(std::string("has %") + text[i] + ", which is not read; known: %a %c %C %d %D %e %g %m %M %n %N %p %s %S %t %T %u %U");
      parts_.push_back({text[i++], ""});
    }
  }
  if (!has('T')) fail("has no time (%T.%t)");
  if (!has('S')) fail("has no sector (%S)");
  if (!has('n') && !has('N')) fail("has no size (%n sectors or %N bytes)");
}

bool BlkparseLayout::has(char directive) const {
  return std::ranges::any_of(parts_, [directive](const Part& part) { return part.directive == directive; });
}

bool BlkparseLayout::split(std::string_view line, BlkparseFields& fields) const {
  std::size_t at = 0;
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    const Part& part = parts_[i];
    while (at < line.size() && separates(line[at])) ++at;
    if (part.directive == 0) {
      if (line.substr(at, part.literal.size()) != part.literal) return false;
      at += part.literal.size();
      continue;
    }
    // The command may hold blanks and is taken up to what follows it; it may be empty, as at a message.
    const bool any_text = part.directive == 'C';
    const std::string stop = i + 1 < parts_.size() ? parts_[i + 1].literal : "";
    auto end = stop.empty() ? std::string_view::npos : line.find(stop, at);
    if (!any_text) end = std::min(end, line.find_first_of(" \t", at));
    end = std::min(end, line.size());
    if (end == at && !any_text) return false;
    if (auto* field = field_of(part.directive, fields)) *field = line.substr(at, end - at);
    at = end;
  }
  return true;
}

}  // namespace tessera
