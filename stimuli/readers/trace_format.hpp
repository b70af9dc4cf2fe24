#pragma once
// The trace formats: their names, and how a file's own is told from its first bytes.
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "stimuli/readers/content_hash.hpp"
#include "stimuli/readers/record_order.hpp"
#include "stimuli/readers/trace_record.hpp"

namespace tessera {

struct TraceFormat {
  std::string name;
  std::string argument;     ///< what may follow the name after ':', empty if nothing may
  std::string description;  ///< one line
};

/// For `list formats`, in the order in which content is tried.
[[nodiscard]] const std::vector<TraceFormat>& trace_formats();

/// The format of `path` as --format takes it ("msr", "ascii:ns"), "columns" where PATH.columns.toml stands beside it. Each format says how
/// well it fits the first 10,000 records, and some from the middle and the end. InputError if none fits, or if two fit that give different
/// numbers: then only the user can tell.
[[nodiscard]] std::string recognise_format(const std::string& path);

/// How a trace file is read.
struct TraceReading {
  std::string format;  ///< NAME, NAME:ARGUMENT ("ascii:us", "columns:time=1:us,...") or empty for recognise_format
  RecordOrder order;
  ContentHash* hash = nullptr;   ///< takes the bytes of the file as they are read
  bool one_volume = false;       ///< one volume of the trace is all that will be used
  std::optional<Bytes> zones{};  ///< size of the drive's zones, 0 for any; none: commands for zones are left out
};

/// Reads the file once, front to back. Where no format is named, the first note of the source says what was recognised and why.
[[nodiscard]] std::unique_ptr<TraceSource> open_trace_file(const std::string& path, const TraceReading& reading);
[[nodiscard]] inline std::unique_ptr<TraceSource> open_trace_file(const std::string& path, std::string_view format) {
  return open_trace_file(path, TraceReading{std::string(format), {}, nullptr});
}

}  // namespace tessera
