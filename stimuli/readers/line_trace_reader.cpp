#include "stimuli/readers/line_trace_reader.hpp"

namespace tessera {
namespace {

std::string separator_name(char separator) {
  switch (separator) {
    case ',': return "comma-separated";
    case ' ': return "blank-separated";
    case '\t': return "tab-separated";
    case ';': return "semicolon-separated";
    default: return std::string("'") + separator + "'-separated";
  }
}

}  // namespace

bool LineTraceReader::parse(RawRecord& raw) {
  while (!ended_ && lines_.next(line_)) {
    const auto first = line_.find_first_not_of(" \t");
    if (first == std::string_view::npos) continue;
    if (comments_.find(line_[first]) != std::string::npos) {
      saw_comment(line_);
      continue;
    }
    fields_.split(line_);
    if (parse_fields(raw)) return true;
  }
  return false;
}

void LineTraceReader::expect_fields(std::size_t least, std::size_t most, std::string_view names) const {
  if (fields_.size() >= least && fields_.size() <= most) [[likely]]
    return;
  const std::string count = least == most             ? std::to_string(least)
                            : most < Fields::capacity ? std::to_string(least) + " to " + std::to_string(most)
                                                      : "at least " + std::to_string(least);
  fail("expected " + count + " " + separator_name(fields_.separator()) + " fields (" + std::string(names) + "), found " +
       std::to_string(fields_.size()));
}

std::uint64_t LineTraceReader::integer(std::size_t field, std::string_view name) const {
  std::uint64_t value = 0;
  check(parse_unsigned(fields_[field], value), name, fields_[field]);
  return value;
}

TraceTime LineTraceReader::time(std::size_t field, std::string_view name, std::uint64_t ps_per_unit) const {
  TraceTime value = 0;
  check(parse_time(fields_[field], ps_per_unit, value), name, fields_[field]);
  return value;
}

std::uint64_t LineTraceReader::bytes_of_blocks(std::size_t field, std::string_view name) const {
  return blocks_to_bytes(integer(field, name), name);
}

void LineTraceReader::unknown_operation(std::string_view text, std::string_view words) const {
  fail("unknown operation '" + std::string(text) + "'; expected " + std::string(words));
}

}  // namespace tessera
