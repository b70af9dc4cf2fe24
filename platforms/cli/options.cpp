#include "platforms/cli/options.hpp"

#include <algorithm>
#include <limits>
#include <sstream>

#include "base/error.hpp"
#include "platforms/cli/arguments.hpp"
#include "platforms/cli/option_values.hpp"
#include "platforms/cli/shared_arguments.hpp"
#include "platforms/cli/torture_arguments.hpp"

namespace tessera::cli {

namespace {

constexpr const char* run_examples = R"(Examples:
  tessera-sim run common --layer imr-rmw --trace web_0.csv.xz --check --out results/web_0
  tessera-sim run common --layer mu-rmw --workload web-server --replay closed:32 --limit 100000 --out results/closed
  tessera-sim run p001 --trace t.vscsi --set media.rpm="5400 rpm" --intervals "10 s" --events --out results/slow
  tessera-sim run common --trace t.csv --vcd waves.vcd --record-trigger merge --record-before 5ms --record-after 20ms --out results/merge
  tessera-sim run common --trace t.csv --check --cut-at 1.5s --cut-at 4s --out results/cuts
  tessera-sim run common --workload web-server --limit 50000 --save-state warm.state --out results/warm
  tessera-sim run common --workload web-server --skip 50000 --load-state warm.state --out results/measured)";
constexpr const char* compare_examples = R"(Examples:
  tessera-sim compare common --layers all --trace web_0.csv.xz --check --out results/web_0
  tessera-sim compare common --layers imr-rmw,mu-rmw --workload zipf-writes --seeds 10 --prefill 100 --baseline imr-rmw,best --out results/zipf)";
constexpr const char* serve_examples = R"(Examples:
  tessera-sim serve common --layer imr-rmw --nbd unix:/tmp/disk.sock
  fio --name=x --ioengine=nbd --uri='nbd+unix:///?socket=/tmp/disk.sock' --rw=randrw --bs=4k --size=64m --verify=crc32c
  tessera-sim serve common --nbd 10809 --pace real   # on the loopback interface, as slow as the drive)";
constexpr const char* explain_examples = R"(Example:
  tessera-sim run common --trace t.csv --requests --out results/t && tessera-sim explain results/t 1207)";
constexpr const char* describe_examples = R"(Examples:
  tessera-sim describe web_3.csv.xz
  tessera-sim describe disk.txt --format columns --columns time=1:us,offset=3:512,size=4:512,op=5:r=1,w=0
  tessera-sim describe disk.ascii --format ascii --time-unit us)";
constexpr const char* convert_examples = R"(Example:
  tessera-sim convert web_3.csv.xz --out web_3.npy)";
constexpr const char* list_examples = R"(Examples:
  tessera-sim list drives
  tessera-sim list parameters common
  tessera-sim list parameters --schema > drive.schema.json)";
constexpr const char* check_examples = R"(Examples:
  tessera-sim check common --layer mu-rmw
  tessera-sim check ./my_drive.toml --set dram.capacity="64 MiB")";
constexpr const char* exit_statuses = "Exit status: 0 good, 1 anything else, 2 bad input or description, 3 model bug, 130 interrupted.";

/// The options that `run` and `compare` share: all but the layer, the waveforms of one run, and how many runs.
void declare_simulation(Arguments& arguments) {
  arguments.option("--trace", "FILE", "block trace to replay (plain, gz, xz or zstd)");
  arguments.option("--workload", "NAME", "workload to generate instead of a trace");
  declare_trace_reading(arguments);
  declare_firmware(arguments);
  arguments.option("--replay", "POLICY",
                   "timed, think, queue:N or closed:N; by default think where the trace tells think times, timed elsewhere");
  arguments.option("--time-scale", "X", "stretch the arrival times: 2 is twice as slow");
  arguments.flag("--fold", "wrap addresses past the drive's end instead of refusing them");
  arguments.flag("--fold-prefilled", "wrap addresses at the end of the share that --prefill fills");
  arguments.option("--adapt", "HOW", "none (default), align or one-sector");
  arguments.option("--skip", "N", "read over the first N requests");
  arguments.option("--warmup", "N", "leave the first N requests out of the statistics");
  arguments.option("--prefill", "PERCENT", "share of the drive that holds data at the start, 0 to 100");
  arguments.repeated("--set", "PATH=VALUE", "override a parameter of the drive");
  arguments.flag("--check", "verify every read against the newest acknowledged write");
  arguments.option("--content", "KIND", "what is stored of user data: none (default), tags (with --check) or bytes");
  arguments.repeated("--cut-at", "TIME",
                     "cut the power at this time since the start of the replay (boot+TIME: since power-on), then boot and go on");
  arguments.repeated("--restart-at", "TIME", "restart the firmware at this time since the start of the replay, without a power cut");
  arguments.flag("--requests", "write requests.npy, the life of each request");
  arguments.option("--intervals", "EVERY", "write intervals.csv, a line every time such as '1 s' or count such as '10000 requests'");
  arguments.flag("--events", "write events.csv, a line for each cleaning, merge, fault and cut");
  arguments.flag("--places",
                 "write tracks.csv and blocks.csv, what each track and each flash block went through; with --intervals bands.csv, how "
                 "full each band was");
}

void declare_run(Arguments& arguments) {
  arguments.positional("DRIVE", "drive by name, or the path of its .toml file");
  arguments.option("--layer", "NAME", "translation layer; the drive's own where not given");
  declare_simulation(arguments);
  arguments.option("--load-state", "FILE", "begin with the drive as another run left it (--save-state), in place of a new one");
  arguments.option("--save-state", "FILE", "drain the drive at the end, shut it down and keep what it holds");
  arguments.flag("--check-protocol", "hold every TLM call between the parts against the rules of the base protocol");
  arguments.option("--vcd", "FILE", "record waveforms as a value change dump");
  arguments.option("--fst", "FILE", "record waveforms in GTKWave's compressed format (needs vcd2fst)");
  arguments.option("--timeline", "FILE", "record a timeline that Perfetto opens");
  arguments.option("--signals", "GLOB,...", "signals to record, by path or pattern; all where not given");
  arguments.repeated("--record-window", "A:B", "from time A to time B; may be given several times");
  arguments.option("--record-trigger", "NAME", "around the first event of this name, or SIGNAL>N, SIGNAL<N, latency>TIME");
  arguments.option("--record-before", "TIME", "length kept before the trigger, 1 ms where not given");
  arguments.option("--record-after", "TIME", "length recorded after the trigger, 10 ms where not given");
  arguments.option("--gdb", "PORT",
                   "wait for GDB on this port of the loopback interface, 0 for any, before the first instruction of --elf");
  arguments.option("--seed", "N", "seed of all random streams, 1 where not given");
  arguments.flag("--json", "print the summary as JSON, every digit");
  arguments.option("--out", "DIR", "folder for the results");
}

/// The names of "A,B,C".
std::vector<std::string> names_in(const Arguments& arguments, const std::string& option) {
  std::vector<std::string> names;
  std::istringstream list(arguments.text(option));
  for (std::string name; std::getline(list, name, ',');) {
    if (std::find(names.begin(), names.end(), name) != names.end()) arguments.fail(option + ": '" + name + "' is named twice");
    names.push_back(name);
  }
  return names;
}

std::vector<std::pair<Picoseconds, Picoseconds>> record_windows(const Arguments& arguments) {
  std::vector<std::pair<Picoseconds, Picoseconds>> windows;
  for (const std::string& text : arguments.list("--record-window")) windows.push_back(parse_window(text));
  std::sort(windows.begin(), windows.end());
  for (std::size_t i = 1; i < windows.size(); ++i)
    if (windows[i].first <= windows[i - 1].second) arguments.fail("--record-window: two windows touch or overlap");
  return windows;
}

std::optional<RecordOptions> record_options(const Arguments& arguments) {
  using namespace literals;
  const bool any = arguments.given("--vcd") || arguments.given("--fst") || arguments.given("--timeline");
  for (const char* option : {"--signals", "--record-window", "--record-trigger"})
    if (arguments.given(option) && !any) arguments.fail(std::string(option) + " needs --vcd, --fst or --timeline");
  arguments.exclude("--record-window", "--record-trigger");
  arguments.needs("--record-before", "--record-trigger");
  arguments.needs("--record-after", "--record-trigger");
  if (!any) return std::nullopt;
  RecordOptions record;
  record.vcd = arguments.text("--vcd");
  record.fst = arguments.text("--fst");
  record.timeline = arguments.text("--timeline");
  record.signals = names_in(arguments, "--signals");
  record.windows = record_windows(arguments);
  record.trigger = arguments.text("--record-trigger");
  record.before = arguments.given("--record-before") ? parse_time("--record-before", arguments.text("--record-before")) : 1_ms;
  record.after = arguments.given("--record-after") ? parse_time("--record-after", arguments.text("--record-after")) : 10_ms;
  return record;
}

constexpr std::uint64_t last_port = 65'535;

std::vector<Picoseconds> restart_times(const Arguments& arguments) {
  std::vector<Picoseconds> times;
  for (const std::string& text : arguments.list("--restart-at")) times.push_back(parse_instant("--restart-at", text));
  std::sort(times.begin(), times.end());
  if (std::adjacent_find(times.begin(), times.end()) != times.end()) arguments.fail("--restart-at: two restarts at the same time");
  return times;
}

RunOptions read_simulation(const Arguments& arguments) {
  arguments.require("DRIVE", "a DRIVE; 'tessera-sim list drives' shows their names");
  arguments.require("--out", "--out DIR, the folder for the results");
  arguments.exclude("--trace", "--workload");
  if (!arguments.given("--trace") && !arguments.given("--workload")) arguments.fail("expected --trace FILE or --workload NAME");
  for (const char* of_traces : {"--format", "--volume", "--columns", "--time-unit"}) arguments.needs(of_traces, "--trace");

  RunOptions run;
  run.drive = arguments.text("DRIVE");
  run.firmware = firmware_option(arguments);
  if (arguments.given("--trace")) run.trace = trace_reading(arguments, "--trace");
  run.workload = arguments.text("--workload");
  if (arguments.given("--replay")) run.replay = parse_replay(arguments.text("--replay"));
  if (arguments.given("--time-scale")) run.time_scale = parse_time_scale(arguments.text("--time-scale"));
  run.fold_prefilled = arguments.set("--fold-prefilled");
  run.fold = arguments.set("--fold") || run.fold_prefilled;
  run.adapt = static_cast<AdaptOption>(arguments.choice("--adapt", {"none", "align", "one-sector"}));
  run.skip = arguments.count("--skip", 0, 0, unbounded);
  if (arguments.given("--limit")) run.limit = arguments.count("--limit", 0, 1, unbounded);
  if (arguments.text("--warmup") == "auto")
    arguments.fail("--warmup auto takes two runs, of which the first finds the warm-up (host.steady.from): 'tessera run' makes both");
  run.warmup = arguments.count("--warmup", 0, 0, unbounded);
  run.prefill_percent = static_cast<std::uint32_t>(arguments.count("--prefill", 0, 0, 100));
  arguments.exclude("--load-state", "--prefill");
  if (run.fold_prefilled && run.prefill_percent == 0 && !arguments.given("--load-state"))
    arguments.fail("--fold-prefilled needs --prefill with more than 0 percent");
  run.set = arguments.list("--set");
  run.check = arguments.set("--check");
  run.content = static_cast<ContentOption>(arguments.choice("--content", {"none", "tags", "bytes"}));
  if (run.check && run.content == ContentOption::none) {
    if (arguments.given("--content")) arguments.fail("--check needs --content tags or bytes");
    run.content = ContentOption::tags;
  }
  run.cut_at = cut_times(arguments, false);
  run.boot_cuts = cut_times(arguments, true);
  run.restarts = restart_times(arguments);
  run.requests = arguments.set("--requests");
  if (arguments.given("--intervals")) run.intervals = parse_intervals(arguments.text("--intervals"));
  run.events = arguments.set("--events");
  run.places = arguments.set("--places");
  run.seed = arguments.count("--seed", run.seed, 0, unbounded);
  run.out = arguments.text("--out");
  return run;
}

ParsedCommand read_run(const Arguments& arguments) {
  RunOptions run = read_simulation(arguments);
  run.layer = arguments.text("--layer");
  run.load_state = arguments.text("--load-state");
  run.save_state = arguments.text("--save-state");
  run.check_protocol = arguments.set("--check-protocol");
  run.record = record_options(arguments);
  arguments.needs("--gdb", "--elf");
  if (arguments.given("--gdb")) run.gdb = static_cast<std::uint16_t>(arguments.count("--gdb", 0, 0, last_port));
  run.json = arguments.set("--json");
  return run;
}

void declare_compare(Arguments& arguments) {
  arguments.positional("DRIVE", "drive by name, or the path of its .toml file");
  arguments.option("--layers", "A,B,...", "translation layers to compare; all: each that there is");
  declare_simulation(arguments);
  arguments.option("--load-state", "DIR", "begin with the drives of DIR/LAYER/SEED.state");
  arguments.option("--save-state", "DIR", "keep the drives at the end, as DIR/LAYER/SEED.state");
  arguments.option("--seeds", "N", "runs of each layer, with seeds that count up from --seed; 1 where not given");
  arguments.option("--seed", "N", "first seed, 1 where not given");
  arguments.option("--baseline", "A,best,...", "show too how many times each figure is that of this layer, or of the best, seed by seed");
  arguments.option("--jobs", "N", "runs at a time; as many as there are CPUs where not given");
  arguments.option("--out", "DIR", "folder for the results; a run has DIR/LAYER/SEED");
}

ParsedCommand read_compare(const Arguments& arguments) {
  constexpr std::uint64_t most_seeds = 10'000;
  constexpr std::uint64_t most_jobs = 1'024;
  CompareOptions compare;
  compare.run = read_simulation(arguments);
  compare.layers = names_in(arguments, "--layers");
  if (compare.layers.empty()) arguments.fail("expected --layers A,B,... or --layers all");
  compare.run.load_state = arguments.text("--load-state");
  compare.run.save_state = arguments.text("--save-state");
  compare.run_words = arguments.words({"--layers", "--seeds", "--seed", "--jobs", "--out", "--load-state", "--save-state", "--baseline"});
  compare.baselines = names_in(arguments, "--baseline");
  compare.seeds = arguments.count("--seeds", 1, 1, most_seeds);
  if (compare.run.seed > unbounded - most_seeds) arguments.fail("--seed: expected room for the seeds that follow it");
  compare.jobs = static_cast<std::uint32_t>(arguments.count("--jobs", 0, 1, most_jobs));
  return compare;
}

void declare_explain(Arguments& arguments) {
  arguments.positional("RUN", "folder of a run made with --requests");
  arguments.positional("N", "number of the request, from 0");
}

ParsedCommand read_explain(const Arguments& arguments) {
  arguments.require("RUN", "RUN, the folder of a run");
  arguments.require("N", "N, the number of a request");
  return ExplainOptions{arguments.text("RUN"), arguments.count("N", 0, 0, unbounded)};
}

void declare_describe(Arguments& arguments) {
  arguments.positional("TRACE", "block trace (plain, gz, xz or zstd)");
  declare_trace_reading(arguments);
  arguments.flag("--json", "as JSON");
}

ParsedCommand read_describe(const Arguments& arguments) {
  arguments.require("TRACE", "TRACE, the file of a block trace");
  return DescribeOptions{trace_reading(arguments, "TRACE"), arguments.set("--json")};
}

void declare_convert(Arguments& arguments) {
  arguments.positional("TRACE", "block trace (plain, gz, xz or zstd)");
  declare_trace_reading(arguments);
  arguments.option("--out", "FILE", "NumPy file to write: arrival (ps), offset, size (bytes), volume, op, flags");
}

ParsedCommand read_convert(const Arguments& arguments) {
  arguments.require("TRACE", "TRACE, the file of a block trace");
  arguments.require("--out", "--out FILE, the NumPy file to write");
  return ConvertOptions{trace_reading(arguments, "TRACE"), arguments.text("--out")};
}

void declare_list(Arguments& arguments) {
  arguments.positional("WHAT", "drives, layers, workloads, formats or parameters");
  arguments.positional("DRIVE", "with parameters: show the values of this drive");
  arguments.flag("--json", "as JSON");
  arguments.flag("--schema", "with parameters: a JSON Schema of drive files");
  arguments.flag("--markdown", "with parameters: the reference page");
}

ParsedCommand read_list(const Arguments& arguments) {
  arguments.require("WHAT", "one of drives, layers, workloads, formats, parameters");
  for (const auto& [one, other] : {std::pair("--json", "--schema"), {"--json", "--markdown"}, {"--schema", "--markdown"}}) {
    arguments.exclude(one, other);
  }
  ListOptions list;
  list.subject = static_cast<ListSubject>(arguments.choice("WHAT", {"drives", "layers", "workloads", "formats", "parameters"}));
  list.drive = arguments.text("DRIVE");
  if (arguments.set("--json")) list.format = ListFormat::json;
  if (arguments.set("--schema")) list.format = ListFormat::schema;
  if (arguments.set("--markdown")) list.format = ListFormat::markdown;
  if (list.subject != ListSubject::parameters) {
    for (const char* of_parameters : {"DRIVE", "--schema", "--markdown"}) {
      if (arguments.given(of_parameters)) arguments.fail(std::string(of_parameters) + " belongs to 'list parameters'");
    }
  }
  return list;
}

void declare_check(Arguments& arguments) {
  arguments.positional("DRIVE", "drive by name, or the path of its .toml file");
  arguments.option("--layer", "NAME", "translation layer; the drive's own where not given");
  declare_firmware(arguments);
  arguments.repeated("--set", "PATH=VALUE", "override a parameter of the drive");
  arguments.option("--load-state", "FILE", "say too what state the file holds, and whether it is one of this drive");
}

ParsedCommand read_check(const Arguments& arguments) {
  arguments.require("DRIVE", "a DRIVE; 'tessera-sim list drives' shows their names");
  return CheckOptions{arguments.text("DRIVE"), firmware_option(arguments), arguments.text("--layer"), arguments.list("--set"),
                      arguments.text("--load-state")};
}

void declare_serve(Arguments& arguments) {
  arguments.positional("DRIVE", "drive by name, or the path of its .toml file");
  arguments.option("--nbd", "ADDRESS", "where the NBD server listens: unix:PATH, PORT on the loopback interface, or HOST:PORT");
  arguments.option("--layer", "NAME", "translation layer; the drive's own where not given");
  declare_firmware(arguments);
  arguments.repeated("--set", "PATH=VALUE", "override a parameter of the drive");
  arguments.option("--pace", "PACE",
                   "real: answers take as long as simulated; scaled:X: X times as long; as fast as it goes where not given");
  arguments.option("--image", "FILE",
                   "content at the start, written to the drive before it is served; what clients wrote is kept there at the end");
  arguments.option("--load-state", "FILE", "begin with the drive as --save-state of serve, or of a run with --content bytes, left it");
  arguments.option("--save-state", "FILE", "shut the drive down at the end and keep what it holds");
  arguments.option("--seed", "N", "seed of all random streams, 1 where not given");
}

ParsedCommand read_serve(const Arguments& arguments) {
  arguments.require("DRIVE", "a DRIVE; 'tessera-sim list drives' shows their names");
  arguments.require("--nbd", "--nbd ADDRESS, unix:PATH, PORT or HOST:PORT");
  ServeOptions serve;
  serve.drive = arguments.text("DRIVE");
  serve.firmware = firmware_option(arguments);
  serve.layer = arguments.text("--layer");
  serve.set = arguments.list("--set");
  serve.nbd = arguments.text("--nbd");
  if (arguments.given("--pace")) serve.pace = parse_pace(arguments.text("--pace"));
  serve.image = arguments.text("--image");
  serve.load_state = arguments.text("--load-state");
  serve.save_state = arguments.text("--save-state");
  serve.seed = arguments.count("--seed", serve.seed, 0, unbounded);
  return serve;
}

struct Command {
  const char* name;
  const char* usage;
  const char* doc;
  const char* footer;
  void (*declare)(Arguments&);
  ParsedCommand (*read)(const Arguments&);
};

constexpr Command commands[] = {
    {"run", "DRIVE (--trace FILE | --workload NAME) --out DIR [OPTIONS]", "Replay a trace or workload on a drive and write the results",
     run_examples, declare_run, read_run},
    {"compare", "DRIVE --layers A,B,...|all (--trace FILE | --workload NAME) --out DIR [OPTIONS]",
     "Run many layers on the same input and show one table", compare_examples, declare_compare, read_compare},
    {"torture", "DRIVE [--layer NAME|all] [OPTIONS]", "Cut the power thousands of times and check that nothing is lost", torture_examples,
     declare_torture, read_torture},
    {"serve", "DRIVE --nbd ADDRESS [OPTIONS]", "Let any NBD client use the drive, until Ctrl-C; SIGUSR1 cuts its power", serve_examples,
     declare_serve, read_serve},
    {"explain", "RUN N", "Tell the life of one request of a run, step by step", explain_examples, declare_explain, read_explain},
    {"describe", "TRACE [OPTIONS]", "Summarise a block trace", describe_examples, declare_describe, read_describe},
    {"convert", "TRACE --out FILE [OPTIONS]", "Write a block trace as a NumPy file", convert_examples, declare_convert, read_convert},
    {"list", "drives|layers|workloads|formats|parameters [DRIVE] [OPTIONS]", "List drives, layers, workloads, formats or parameters",
     list_examples, declare_list, read_list},
    {"check", "DRIVE [OPTIONS]", "Validate a drive description", check_examples, declare_check, read_check},
};

/// The names of a command's options, "--help" among them.
std::vector<std::string> option_names(const CLI::App& command) {
  std::vector<std::string> names;
  for (const auto* option : command.get_options()) {
    for (const auto& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

/// What CLI11 could not place, as a sentence.
[[noreturn]] void reject_leftover(const CLI::App& command, const std::string& leftover) {
  const std::string where = (command.get_parent() == nullptr ? "" : "tessera-sim ") + command.get_name() + ": ";
  if (leftover.starts_with('-'))
    throw InputError(where + unknown_name("option", leftover.substr(0, leftover.find('=')), option_names(command)));
  throw InputError(where + "unexpected argument '" + leftover + "'");
}

}  // namespace

ParsedCommand parse(int argc, const char* const* argv) {
  CLI::App app("Tessera: a virtual platform of a hard disk with overlapping tracks", "tessera-sim");
  app.set_version_flag("--version", "tessera-sim " TESSERA_VERSION);
  app.footer(exit_statuses);
  app.require_subcommand(0, 1);  // at most one: a later argument that equals a command's name is an argument
  std::vector<Arguments> arguments;
  arguments.reserve(std::size(commands));
  for (const Command& command : commands) {
    CLI::App& subcommand = *app.add_subcommand(command.name, command.doc);
    subcommand.formatter(std::make_shared<UsageFormatter>(command.usage));
    subcommand.footer(command.footer);
    command.declare(arguments.emplace_back(subcommand));
  }

  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    return PrintText{app.help()};
  } catch (const CLI::CallForVersion& version) {
    return PrintText{std::string(version.what()) + "\n"};
  } catch (const CLI::ExtrasError&) {
    for (const auto& candidate : arguments) {
      if (!candidate.command().parsed() || candidate.command().remaining().empty()) continue;
      reject_leftover(candidate.command(), candidate.command().remaining().front());
    }
    const std::string leftover = app.remaining().front();
    if (leftover.starts_with('-')) reject_leftover(app, leftover);
    std::vector<std::string> names;
    for (const Command& command : commands) names.emplace_back(command.name);
    throw InputError("tessera-sim: " + unknown_name("command", leftover, names));
  } catch (const CLI::ArgumentMismatch& mismatch) {  // "--OPTION: ..." without its value, or "FLAG was given ..." with one
    const std::string text = mismatch.what();
    const bool lacks_value = text.starts_with("--");
    throw InputError(lacks_value ? "tessera-sim: " + text.substr(0, text.find(':')) + ": expected a value after it"
                                 : "tessera-sim: --" + text.substr(0, text.find(' ')) + " takes no value");
  } catch (const CLI::ParseError& error) {
    throw InputError(std::string("tessera-sim: ") + error.what());
  }

  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (!arguments[i].command().parsed()) continue;
    arguments[i].check_values();
    return commands[i].read(arguments[i]);
  }
  return PrintText{app.help(), 2};
}

}  // namespace tessera::cli
