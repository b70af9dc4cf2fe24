#include "stimuli/readers/trace_files.hpp"

#include <filesystem>

#include "stimuli/readers/blktrace_files.hpp"
#include "stimuli/readers/columns_spec.hpp"

namespace tessera {

namespace {

constexpr std::string_view columns = "columns";

std::string columns_of(const std::string& path, std::string_view format) {
  std::string found = columns_file(path);
  if (format.empty()) return std::filesystem::exists(found) ? found : "";
  if (format == columns) return found;
  if (!format.starts_with("columns:")) return "";
  const std::string argument(format.substr(columns.size() + 1));
  if (argument.empty()) return found;
  return argument.ends_with(".toml") ? argument : "";
}

}  // namespace

TraceFiles files_of_trace(const std::string& path, std::string_view format) {
  if (format.starts_with(':')) format = "";  // an event alone: the content says which format it is
  const bool may_be_one_of_several = format.empty() || format == "blktrace" || format.starts_with("blktrace:");
  return {may_be_one_of_several ? blktrace_files(path) : std::vector<std::string>{path}, columns_of(path, format)};
}

}  // namespace tessera
