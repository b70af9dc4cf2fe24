#include "platforms/cli/record_arguments.hpp"

#include <algorithm>

#include "platforms/cli/shared_arguments.hpp"

namespace tessera::cli {

namespace {

std::vector<std::pair<Picoseconds, Picoseconds>> record_windows(const Arguments& arguments) {
  std::vector<std::pair<Picoseconds, Picoseconds>> windows;
  for (const std::string& text : arguments.list("--record-window")) windows.push_back(parse_window(text));
  std::sort(windows.begin(), windows.end());
  for (std::size_t i = 1; i < windows.size(); ++i)
    if (windows[i].first <= windows[i - 1].second) arguments.fail("--record-window: two windows touch or overlap");
  return windows;
}

}  // namespace

void declare_logs(Arguments& arguments) {
  arguments.flag("--requests", "write requests.npy, the life of each request");
  arguments.option("--intervals", "EVERY", "write intervals.csv, a line every time such as '1 s' or count such as '10000 requests'");
  arguments.flag("--events", "write events.csv, a line for each cleaning, merge, fault and cut");
  arguments.flag("--places",
                 "write tracks.csv and blocks.csv, what each track and each flash block went through; with --intervals bands.csv, how "
                 "full each band was");
}

void declare_recording(Arguments& arguments) {
  arguments.option("--vcd", "FILE", "record waveforms as a value change dump");
  arguments.flag("--vcd-words", "write states as words, too, with GTKWave's extension of the standard ($var string)");
  arguments.option("--fst", "FILE", "record waveforms in GTKWave's compressed format (needs vcd2fst)");
  arguments.option("--timeline", "FILE", "record a timeline that Perfetto opens");
  arguments.option("--signals", "GLOB,...", "signals to record, by path or pattern (default: all)");
  arguments.repeated("--record-window", "A:B", "from time A to time B; may be given several times");
  arguments.option("--record-trigger", "NAME", "around the first event of this name, or SIGNAL>N, SIGNAL<N, latency>TIME");
  arguments.option("--record-before", "TIME", "length kept before the trigger (default: 1 ms)");
  arguments.option("--record-after", "TIME", "length recorded after the trigger (default: 10 ms)");
}

std::optional<RecordOptions> record_options(const Arguments& arguments) {
  using namespace literals;
  const bool any = arguments.given("--vcd") || arguments.given("--fst") || arguments.given("--timeline");
  for (const char* option : {"--signals", "--record-window", "--record-trigger"})
    if (arguments.given(option) && !any) arguments.fail(std::string(option) + " needs --vcd, --fst or --timeline");
  arguments.needs("--vcd-words", "--vcd");
  arguments.exclude("--record-window", "--record-trigger");
  arguments.needs("--record-before", "--record-trigger");
  arguments.needs("--record-after", "--record-trigger");
  if (!any) return std::nullopt;
  RecordOptions record;
  record.vcd = arguments.text("--vcd");
  record.vcd_words = arguments.set("--vcd-words");
  record.fst = arguments.text("--fst");
  record.timeline = arguments.text("--timeline");
  record.signals = names_in(arguments, "--signals");
  record.windows = record_windows(arguments);
  record.trigger = arguments.text("--record-trigger");
  record.before = arguments.given("--record-before") ? parse_time("--record-before", arguments.text("--record-before")) : 1_ms;
  record.after = arguments.given("--record-after") ? parse_time("--record-after", arguments.text("--record-after")) : 10_ms;
  return record;
}

}  // namespace tessera::cli
