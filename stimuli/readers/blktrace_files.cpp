#include "stimuli/readers/blktrace_files.hpp"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <map>
#include <optional>

namespace tessera {
namespace {

namespace fs = std::filesystem;

struct Name {
  std::string prefix;  ///< up to the number
  unsigned cpu = 0;
  std::string suffix;  ///< of a packed file
};

std::optional<Name> parse(const std::string& name) {
  constexpr std::string_view mark = ".blktrace.";
  const auto at = name.rfind(mark);
  if (at == std::string::npos) return std::nullopt;
  Name parsed;
  const char* begin = name.data() + at + mark.size();
  const char* end = name.data() + name.size();
  const auto [rest, error] = std::from_chars(begin, end, parsed.cpu);
  if (error != std::errc() || (rest != end && *rest != '.')) return std::nullopt;
  parsed.prefix = name.substr(0, at + mark.size());
  parsed.suffix.assign(rest, end);
  return parsed;
}

}  // namespace

std::vector<std::string> blktrace_files(const std::string& path) {
  const fs::path file(path);
  const auto own = parse(file.filename().string());
  std::error_code error;
  if (!own || !fs::is_regular_file(file, error)) return {path};
  std::map<unsigned, std::string> others;
  const fs::path folder = file.has_parent_path() ? file.parent_path() : fs::path(".");
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    const auto other = parse(entry.path().filename().string());
    if (!other || other->prefix != own->prefix || other->suffix != own->suffix || other->cpu == own->cpu) continue;
    if (entry.is_regular_file(error)) others.emplace(other->cpu, (file.parent_path() / entry.path().filename()).string());
  }
  std::vector<std::string> all{path};
  for (auto& [cpu, name] : others) all.push_back(std::move(name));
  return all;
}

std::string missing_blktrace_files(const std::vector<std::string>& files) {
  std::vector<unsigned> cpus;
  std::optional<Name> name;
  for (const auto& file : files) {
    name = parse(fs::path(file).filename().string());
    if (!name) return "";
    cpus.push_back(name->cpu);
  }
  constexpr unsigned most_named = 8;
  std::string missing;
  unsigned count = 0;
  for (unsigned cpu = 0; cpu < std::ranges::max(cpus) && count < most_named; ++cpu) {
    if (std::ranges::find(cpus, cpu) != cpus.end()) continue;
    missing += (count++ == 0 ? "" : ", ") + name->prefix + std::to_string(cpu) + name->suffix;
  }
  return missing;
}

}  // namespace tessera
