#include "platforms/cli/shared_arguments.hpp"

#include <algorithm>
#include <sstream>

namespace tessera::cli {

std::vector<std::string> names_in(const Arguments& arguments, const std::string& option) {
  std::vector<std::string> names;
  std::istringstream list(arguments.text(option));
  for (std::string name; std::getline(list, name, ',');) {
    if (std::find(names.begin(), names.end(), name) != names.end()) arguments.fail(option + ": '" + name + "' is named twice");
    names.push_back(name);
  }
  return names;
}

void declare_trace_reading(Arguments& arguments) {
  arguments.option("--format", "NAME", "format of the trace; recognised from its content where not given");
  arguments.option("--volume", "NAME", "only this volume of a trace that has several");
  arguments.option("--columns", "SPEC", "columns of a text trace, where no TOML file beside it says");
  arguments.option("--time-unit", "UNIT", "unit of the times of an ascii trace: s, ms, us or ns");
  arguments.option("--limit", "N", "at most N requests");
}

TraceOptions trace_reading(const Arguments& arguments, const std::string& file) {
  TraceOptions trace;
  trace.file = arguments.text(file);
  trace.format = arguments.text("--format");
  trace.volume = arguments.text("--volume");
  trace.columns = arguments.text("--columns");
  if (arguments.given("--time-unit")) {
    static const std::vector<std::string> units{"s", "ms", "us", "ns"};
    trace.time_unit = units[parse_name("--time-unit", arguments.text("--time-unit"), units)];
  }
  if (arguments.given("--limit")) trace.limit = arguments.count("--limit", 0, 1, unbounded);
  return trace;
}

std::vector<Picoseconds> cut_times(const Arguments& arguments, bool of_boot) {
  constexpr std::string_view boot = "boot+";
  std::vector<Picoseconds> times;
  for (const std::string_view text : arguments.list("--cut-at"))
    if (text.starts_with(boot) == of_boot) times.push_back(parse_instant("--cut-at", of_boot ? text.substr(boot.size()) : text));
  std::sort(times.begin(), times.end());
  const auto twin = std::adjacent_find(times.begin(), times.end());
  if (twin != times.end()) arguments.fail("--cut-at: two cuts at the same time");
  return times;
}

void declare_firmware(Arguments& arguments) {
  arguments.option("--firmware", "FILE",
                   "shared library with a translation layer (tessera_firmware.h); its first where --layer names none");
  arguments.option("--firmware-patience", "SECONDS",
                   "processor time that one call of the library may take, 10 where not given; then the run ends with status 3");
  arguments.option("--elf", "FILE",
                   "firmware image for the drive's processor, RV32 or RV64 (./dev firmware): runs instruction by instruction");
}

FirmwareOption firmware_option(const Arguments& arguments) {
  constexpr std::uint64_t longest_patience = 86'400;
  arguments.needs("--firmware-patience", "--firmware");
  FirmwareOption firmware;
  firmware.file = arguments.text("--firmware");
  arguments.exclude("--firmware", "--elf");
  firmware.image = arguments.text("--elf");
  firmware.patience = static_cast<unsigned>(arguments.count("--firmware-patience", firmware.patience, 1, longest_patience));
  return firmware;
}

}  // namespace tessera::cli
