#include "platforms/cli/replay_arguments.hpp"

#include "platforms/cli/shared_arguments.hpp"

namespace tessera::cli {

void declare_input(Arguments& arguments, const std::string& without) {
  arguments.option("--trace", "FILE", "block trace to replay (plain, gz, xz, zstd, bz2 or lz4)");
  arguments.option("--workload", "NAME", "workload to generate instead of a trace" + without);
  declare_trace_reading(arguments);
}

void declare_replay(Arguments& arguments, const std::string& device) {
  arguments.option("--replay", "POLICY",
                   "timed, think, queue:N or closed:N; by default think where the trace tells think times, timed elsewhere");
  arguments.option("--time-scale", "X", "stretch the arrival times: 2 is twice as slow");
  arguments.flag("--fold", "wrap addresses past the " + device + "'s end instead of refusing them");
  arguments.option("--fold-at", "SIZE", "wrap addresses at this size, such as '58 GiB', instead of at the " + device + "'s end");
  arguments.option("--adapt", "HOW", "none (default), align or one-sector");
  arguments.option("--skip", "N", "skip the first N requests");
  arguments.option("--warmup", "N", "leave the first N requests out of the statistics");
}

void declare_content(Arguments& arguments) {
  arguments.option("--content", "KIND", "what is stored of user data: none (default), tags (with --check) or bytes");
}

void read_replay(const Arguments& arguments, RunOptions& run) {
  arguments.exclude("--trace", "--workload");
  for (const char* of_traces : {"--format", "--event", "--volume", "--columns", "--time-unit"}) arguments.needs(of_traces, "--trace");
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
  run.set = arguments.list("--set");
  run.check = arguments.set("--check");
  run.content = static_cast<ContentOption>(arguments.choice("--content", {"none", "tags", "bytes"}));
  if (run.check && run.content == ContentOption::none) {
    if (arguments.given("--content")) arguments.fail("--check needs --content tags or bytes");
    run.content = ContentOption::tags;
  }
  run.seed = arguments.count("--seed", run.seed, 0, unbounded);
  run.out = arguments.text("--out");
}

}  // namespace tessera::cli
