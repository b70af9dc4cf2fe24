#pragma once
// The files that a trace is read from, without reading its records.
#include <string>
#include <string_view>
#include <vector>

namespace tessera {

struct TraceFiles {
  std::vector<std::string> content;  ///< in the order in which they are read
  std::string columns;               ///< the TOML file that says what its columns hold; "" where none is read
};

/// Of the trace `path`, read as `format` (TraceOptions::format): those that open_trace() opens. They need not exist.
[[nodiscard]] TraceFiles files_of_trace(const std::string& path, std::string_view format);

}  // namespace tessera
