#include "platforms/cli/run_arguments.hpp"

#include <algorithm>

#include "platforms/cli/record_arguments.hpp"
#include "platforms/cli/replay_arguments.hpp"
#include "platforms/cli/shared_arguments.hpp"

namespace tessera::cli {

namespace {

constexpr std::uint64_t last_port = 65'535;

std::vector<Picoseconds> restart_times(const Arguments& arguments) {
  std::vector<Picoseconds> times;
  for (const std::string& text : arguments.list("--restart-at")) times.push_back(parse_instant("--restart-at", text));
  std::sort(times.begin(), times.end());
  if (std::adjacent_find(times.begin(), times.end()) != times.end()) arguments.fail("--restart-at: two restarts at the same time");
  return times;
}

}  // namespace

void declare_run(Arguments& arguments) {
  arguments.positional("DRIVE", "drive by name, or the path of its .toml file; or a run document, such as the run.toml of a run's folder");
  arguments.option(
      "--layer", "NAME",
      "translation layer (default: the drive's own); zoned:log, zoned:dmz, zoned:lsm: zones, and a host that translates for them");
  declare_input(arguments, "");
  declare_firmware(arguments);
  declare_replay(arguments, "drive");
  arguments.flag("--fold-prefilled", "wrap addresses at the end of the share that --prefill fills");
  arguments.option("--prefill", "PERCENT",
                   "share of the drive that holds data at the start, 0 to 100 (default: the drive's own, simulation.prefill)");
  arguments.option("--caches", "empty|used",
                   "what caches on flash and platters hold at the start; used: what other requests of the workload leave in them, of a "
                   "trace what --skip "
                   "leaves out, or the trace itself "
                   "(default: the drive's own, simulation.caches)");
  arguments.repeated("--set", "PATH=VALUE", "override a parameter of the drive");
  arguments.flag("--check", "verify every read against the newest acknowledged write");
  declare_content(arguments);
  arguments.option("--age", "TIME",
                   "repeat the input until the drive has lived through this time, such as 90d, 26w or 5y; its rests cost nothing");
  arguments.repeated("--cut-at", "TIME",
                     "cut the power at this time since the start of the replay (boot+TIME: since power-on), then boot and go on");
  arguments.repeated("--restart-at", "TIME", "restart the firmware at this time since the start of the replay, without a power cut");
  declare_percentiles(arguments);
  declare_logs(arguments);
  arguments.option("--load-state", "FILE", "begin with the drive as another run left it (--save-state), in place of a new one");
  arguments.flag("--any-firmware", "take with --load-state what another build of the layer's firmware saved");
  arguments.option("--save-state", "FILE", "drain the drive at the end, shut it down and keep what it holds");
  arguments.flag("--check-protocol", "hold every TLM call between the parts against the rules of the base protocol");
  declare_recording(arguments);
  arguments.option("--gdb", "PORT",
                   "wait for GDB on this port of the loopback interface, 0 for any, before the first instruction of --elf");
  arguments.option("--firmware-profile", "FILE", "count where the processor's cycles go with --elf; 'tessera firmware profile' reads it");
  arguments.option("--seed", "N", "seed of all random streams (default: 1)");
  arguments.flag("--json", "print the summary as JSON, every digit");
  arguments.option("--out", "DIR", "folder for the results");
  declare_list_inputs(arguments);
  arguments.flag("--document", "print the run as a document, and run nothing");
}

ParsedCommand read_run(const Arguments& arguments) {
  arguments.require("DRIVE", "a DRIVE; 'tessera-sim list drives' shows their names");
  if (!arguments.set("--list-inputs") && !arguments.set("--document")) arguments.require("--out", "--out DIR, the folder for the results");
  if (!arguments.given("--trace") && !arguments.given("--workload")) arguments.fail("expected --trace FILE or --workload NAME");
  if (arguments.text("--warmup") == "auto")
    arguments.fail("--warmup auto takes two runs, of which the first finds the warm-up (host.steady.from): 'tessera run' makes both");
  arguments.exclude("--load-state", "--prefill");
  arguments.exclude("--load-state", "--caches");

  RunOptions run;
  read_replay(arguments, run);
  run.drive = arguments.text("DRIVE");
  run.firmware = firmware_option(arguments);
  run.fold_prefilled = arguments.set("--fold-prefilled");
  run.fold = run.fold || run.fold_prefilled;
  run.percentiles = percentiles_option(arguments);
  if (arguments.given("--caches"))
    run.caches = arguments.choice("--caches", {"empty", "used"}) == 0 ? CachesOption::empty : CachesOption::used;
  if (arguments.given("--age")) run.age = parse_age("--age", arguments.text("--age"));
  run.cut_at = cut_times(arguments, false);
  run.boot_cuts = cut_times(arguments, true);
  run.restarts = restart_times(arguments);
  run.requests = arguments.set("--requests");
  if (arguments.given("--intervals")) run.intervals = parse_intervals(arguments.text("--intervals"));
  run.events = arguments.set("--events");
  run.places = arguments.set("--places");
  run.list_inputs = arguments.set("--list-inputs");
  run.print_document = arguments.set("--document");
  run.layer = arguments.text("--layer");
  run.load_state = arguments.text("--load-state");
  run.save_state = arguments.text("--save-state");
  arguments.needs("--any-firmware", "--load-state");
  run.any_firmware = arguments.set("--any-firmware");
  run.check_protocol = arguments.set("--check-protocol");
  run.record = record_options(arguments);
  arguments.needs("--gdb", "--elf");
  if (arguments.given("--gdb")) run.gdb = static_cast<std::uint16_t>(arguments.count("--gdb", 0, 0, last_port));
  arguments.needs("--firmware-profile", "--elf");
  arguments.exclude("--firmware-profile", "--gdb");
  run.firmware_profile = arguments.text("--firmware-profile");
  run.json = arguments.set("--json");
  const std::set<std::string> no_part_of_the_run{"--out",
                                                 "--json",
                                                 "--gdb",
                                                 "--save-state",
                                                 "--vcd",
                                                 "--fst",
                                                 "--timeline",
                                                 "--signals",
                                                 "--record-window",
                                                 "--record-trigger",
                                                 "--record-before",
                                                 "--record-after",
                                                 "--list-inputs",
                                                 "--document",
                                                 "--firmware-digest",
                                                 "--firmware-profile",
                                                 "--vcd-words"};
  run.named =
      arguments.named(run.print_document ? std::set<std::string>{"--out", "--json", "--list-inputs", "--document"} : no_part_of_the_run);
  run.named.insert(run.named.begin(), {"drive", {run.drive}, false});
  return run;
}

}  // namespace tessera::cli
