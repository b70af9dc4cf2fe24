#include "platforms/cli/array_arguments.hpp"

#include "platforms/cli/shared_arguments.hpp"

namespace tessera::cli {

void declare_array(Arguments& arguments) {
  arguments.positional("FILE", "description of the array, a .toml file: docs/arrays.md");
  arguments.option("--trace", "FILE", "block trace to replay (plain, gz, xz, zstd, bz2 or lz4)");
  arguments.option("--workload", "NAME", "workload to generate instead of a trace; with neither, only what the file says happens");
  declare_trace_reading(arguments);
  arguments.option("--replay", "POLICY",
                   "timed, think, queue:N or closed:N; by default think where the trace tells think times, timed elsewhere");
  arguments.option("--time-scale", "X", "stretch the arrival times: 2 is twice as slow");
  arguments.flag("--fold", "wrap addresses past the array's end instead of refusing them");
  arguments.option("--fold-at", "SIZE", "wrap addresses at this size, such as '58 GiB', instead of at the array's end");
  arguments.option("--adapt", "HOW", "none (default), align or one-sector");
  arguments.option("--skip", "N", "skip the first N requests");
  arguments.option("--warmup", "N", "leave the first N requests out of the statistics");
  arguments.option("--prefill", "PERCENT", "share of each drive that holds data at the start, 0 to 100 (default: each drive's own)");
  arguments.repeated("--set", "PATH=VALUE", "override a value of the array's file, as in rebuild.depth=8");
  arguments.flag("--check", "verify every read against the newest acknowledged write, and at the end parity and copies against the data");
  arguments.option("--content", "KIND", "what is stored of user data: none (default), tags (with --check) or bytes");
  declare_percentiles(arguments);
  arguments.flag("--check-protocol", "hold every TLM call between the parts against the rules of the base protocol");
  arguments.option("--seed", "N", "seed of all random streams (default: 1)");
  arguments.flag("--plan", "show the array's drives, capacity and what it survives, and run nothing");
  arguments.flag("--parameters", "list the parameters of arrays with this file's values, and run nothing; with --json as JSON");
  arguments.flag("--json", "print the summary as JSON, every digit");
  arguments.option("--out", "DIR", "folder for the results; that of drive N is DIR/drive-N");
  declare_list_inputs(arguments);
}

ParsedCommand read_array(const Arguments& arguments) {
  arguments.require("FILE", "a FILE that describes the array");
  ArrayOptions array;
  array.plan = arguments.set("--plan");
  array.parameters = arguments.set("--parameters");
  arguments.exclude("--plan", "--parameters");
  RunOptions& run = array.run;
  run.list_inputs = arguments.set("--list-inputs");
  if (!array.plan && !array.parameters && !run.list_inputs) arguments.require("--out", "--out DIR, the folder for the results");
  arguments.exclude("--trace", "--workload");
  for (const char* of_traces : {"--format", "--event", "--volume", "--columns", "--time-unit"}) arguments.needs(of_traces, "--trace");
  run.drive = arguments.text("FILE");
  if (arguments.given("--trace")) run.trace = trace_reading(arguments, "--trace");
  run.workload = arguments.text("--workload");
  if (arguments.given("--replay")) run.replay = parse_replay(arguments.text("--replay"));
  if (arguments.given("--time-scale")) run.time_scale = parse_time_scale(arguments.text("--time-scale"));
  if (arguments.given("--time-scale") && run.replay.mode == ReplayMode::closed)
    arguments.fail("--time-scale has no times to stretch: --replay closed:N ignores those of the input");
  if (arguments.given("--fold-at")) run.fold_at = parse_size("--fold-at", arguments.text("--fold-at"));
  run.fold = arguments.set("--fold") || run.fold_at;
  run.adapt = static_cast<AdaptOption>(arguments.choice("--adapt", {"none", "align", "one-sector"}));
  run.skip = arguments.count("--skip", 0, 0, unbounded);
  if (arguments.given("--limit")) run.limit = arguments.count("--limit", 0, 1, unbounded);
  run.warmup = arguments.count("--warmup", 0, 0, unbounded);
  run.prefill_percent = static_cast<std::uint32_t>(arguments.count("--prefill", 0, 0, 100));
  run.prefill_given = arguments.given("--prefill");
  run.percentiles = percentiles_option(arguments);
  run.set = arguments.list("--set");
  run.check = arguments.set("--check");
  run.content = static_cast<ContentOption>(arguments.choice("--content", {"none", "tags", "bytes"}));
  if (run.check && run.content == ContentOption::none) {
    if (arguments.given("--content")) arguments.fail("--check needs --content tags or bytes");
    run.content = ContentOption::tags;
  }
  run.check_protocol = arguments.set("--check-protocol");
  run.seed = arguments.count("--seed", run.seed, 0, unbounded);
  run.json = arguments.set("--json");
  run.out = arguments.text("--out");
  return array;
}

}  // namespace tessera::cli
