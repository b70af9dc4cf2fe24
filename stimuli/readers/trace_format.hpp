#pragma once
// The trace formats: their names, and how a file's own is told from its first bytes.
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "stimuli/readers/content_hash.hpp"
#include "stimuli/readers/trace_record.hpp"

namespace tessera {

struct TraceFormat {
  std::string name;
  std::string argument;     ///< what may follow the name after ':', empty if nothing may
  std::string description;  ///< one line
};

/// For `list formats`, in the order in which content is tried.
[[nodiscard]] const std::vector<TraceFormat>& trace_formats();

/// The name of the format of `path` from its first 64 KiB, "columns" where PATH.columns.toml stands beside it.
/// InputError if none fits, or if two fit and only the user can tell.
[[nodiscard]] std::string recognise_format(const std::string& path);

/// Reads the file once, front to back; `hash` takes its bytes as it is read. `format` is NAME, NAME:ARGUMENT ("ascii:us",
/// "columns:time=1:us,...") or empty for recognise_format.
[[nodiscard]] std::unique_ptr<TraceSource> open_trace_file(const std::string& path, std::string_view format, ContentHash* hash = nullptr);

}  // namespace tessera
