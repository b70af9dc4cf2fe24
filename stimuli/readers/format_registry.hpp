#pragma once
// Every trace format: its name, how well it fits a file, and its reader.
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "stimuli/readers/byte_stream.hpp"
#include "stimuli/readers/probe.hpp"
#include "stimuli/readers/trace_format.hpp"
#include "stimuli/readers/trace_record.hpp"

namespace tessera {

struct Registered {
  TraceFormat format;
  std::vector<Evidence> (*score)(const Sample&);  ///< null: only by name
  std::function<std::unique_ptr<TraceSource>(TraceFile file, const std::string& argument)> open;
  std::uint64_t sort_records = 0;  ///< RecordOrder::sort_records unless the user names an order
};

/// In the order in which content is tried.
[[nodiscard]] const std::vector<Registered>& registered();
[[nodiscard]] std::vector<std::string> format_names();
/// Null for a name that none has.
[[nodiscard]] const Registered* find_format(std::string_view name);

}  // namespace tessera
