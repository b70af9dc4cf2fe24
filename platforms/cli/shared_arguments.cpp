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

namespace {

constexpr std::uint64_t most_sorted_records = 4'000'000;  // held in memory at once, some hundred bytes each

}  // namespace

void declare_trace_reading(Arguments& arguments) {
  arguments.option("--format", "NAME", "format of the trace (default: recognised from its content)");
  arguments.option("--event", "EVENT",
                   "queue, issue or complete: the step to read of a Linux recording (default: the first that the file has)");
  arguments.option("--volume", "NAME", "only this volume of a trace that has several");
  arguments.option("--columns", "SPEC", "columns of a text trace, where no TOML file beside it says");
  arguments.option("--time-unit", "UNIT", "unit of the times of an ascii trace: s, ms, us or ns");
  arguments.option("--sort", "WINDOW",
                   "sort records by arrival, within a time (10 ms), a number of records (1000), or all of them (temporary file in TMPDIR)");
  arguments.option("--spread", "TIME", "spread records with the same arrival time evenly over TIME (the resolution of a coarse clock)");
  arguments.option("--arrival", "LAW", "recorded (default), or completion-response: recorded times are of completion");
  arguments.option("--limit", "N", "at most N requests");
}

namespace {

/// The words of --format with those of --event: "blkparse:issue"; ":issue" where the content is to say which format it is.
std::string format_with_event(const Arguments& arguments) {
  std::string format = arguments.text("--format");
  if (!arguments.given("--event")) return format;
  static const std::vector<std::string> events{"queue", "issue", "complete"};
  const std::string& event = events[parse_name("--event", arguments.text("--event"), events)];
  arguments.exclude("--event", "--columns");
  arguments.exclude("--event", "--time-unit");
  constexpr std::string_view with_layout = "blkparse:%";
  if (format.starts_with(with_layout))
    return format.substr(0, with_layout.size() - 1) + event + "," + format.substr(with_layout.size() - 1);
  if (format.find(':') != std::string::npos) arguments.fail("--event " + event + " and --format " + format + " both say what to read");
  return format + ":" + event;
}

}  // namespace

TraceOptions trace_reading(const Arguments& arguments, const std::string& file) {
  TraceOptions trace;
  trace.file = arguments.text(file);
  trace.format = format_with_event(arguments);
  trace.volume = arguments.text("--volume");
  trace.columns = arguments.text("--columns");
  if (arguments.given("--time-unit")) {
    static const std::vector<std::string> units{"s", "ms", "us", "ns"};
    trace.time_unit = units[parse_name("--time-unit", arguments.text("--time-unit"), units)];
  }
  if (arguments.given("--sort")) {
    const std::string window = arguments.text("--sort");
    if (window == "all")
      trace.sort_all = true;
    else if (window.find_first_not_of("0123456789") == std::string::npos)
      trace.sort_records = arguments.count("--sort", 0, 1, most_sorted_records);
    else
      trace.sort_time = parse_time("--sort", window);
    if (!trace.sort_all && trace.sort_records == 0 && trace.sort_time == Picoseconds(0))
      arguments.fail("--sort 0: expected a time or a number of records above 0, or all");
  }
  if (arguments.given("--spread")) {
    trace.spread = parse_time("--spread", arguments.text("--spread"));
    if (trace.spread == Picoseconds(0)) arguments.fail("--spread 0: expected the resolution of the trace's clock, such as 1 s");
  }
  if (arguments.given("--arrival")) {
    static const std::vector<std::string> laws{"recorded", "completion-response"};
    trace.completion_minus_response = parse_name("--arrival", arguments.text("--arrival"), laws) == 1;
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
  arguments.option(
      "--firmware", "FILE",
      "shared library (tessera_firmware.h, tessera_policy.h) or .py file with translation layers, or with policies of cleaning, as in "
      "--layer media-cache:POLICY; its first where --layer names none");
  arguments.option("--firmware-patience", "SECONDS",
                   "processor time for one call of its layer (default: 10); beyond it the run ends with status 3");
  arguments.option("--elf", "FILE",
                   "firmware image for the drive's processor, RV32 or RV64 (./dev firmware): runs instruction by instruction");
  arguments.option("--firmware-digest", "SHA256", "load the library, file or image only if this is its digest");
}

FirmwareOption firmware_option(const Arguments& arguments) {
  constexpr std::uint64_t longest_patience = 86'400;
  arguments.needs("--firmware-patience", "--firmware");
  FirmwareOption firmware;
  firmware.file = arguments.text("--firmware");
  arguments.exclude("--firmware", "--elf");
  firmware.image = arguments.text("--elf");
  if (arguments.given("--firmware-digest") && !arguments.given("--firmware") && !arguments.given("--elf"))
    arguments.fail("--firmware-digest needs --firmware or --elf");
  if (arguments.given("--firmware-digest")) firmware.digest = parse_digest("--firmware-digest", arguments.text("--firmware-digest"));
  firmware.patience = static_cast<unsigned>(arguments.count("--firmware-patience", firmware.patience, 1, longest_patience));
  return firmware;
}

void declare_percentiles(Arguments& arguments) {
  arguments.option("--percentiles", "LIST",
                   "percentiles of the latency to report, such as 50,99,99.9,99.99, in addition to the usual ones");
}

std::vector<Percentile> percentiles_option(const Arguments& arguments) {
  return arguments.given("--percentiles") ? parse_percentiles(arguments.text("--percentiles")) : std::vector<Percentile>{};
}

void declare_list_inputs(Arguments& arguments) {
  arguments.flag("--list-inputs", "print as JSON which files would be read, with their SHA-256, and run nothing");
}

}  // namespace tessera::cli
