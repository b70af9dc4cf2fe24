#include "platforms/cli/torture_arguments.hpp"

#include <algorithm>

#include "platforms/cli/shared_arguments.hpp"

namespace tessera::cli {

namespace {

constexpr std::uint64_t usual_operations = 2000;
constexpr std::uint64_t usual_cuts = 2000;
constexpr std::uint64_t usual_runs = 1000;
constexpr std::uint64_t most_jobs = 1024;

const std::vector<std::string> durabilities{"plp", "journal", "volatile", "none"};
const std::vector<std::string> faults{"torn", "paired", "dump"};

std::vector<TortureDurability> durability(const Arguments& arguments) {
  if (arguments.given("--durability") && arguments.text("--durability") != "all")
    return {static_cast<TortureDurability>(arguments.choice("--durability", durabilities))};
  return {TortureDurability::plp, TortureDurability::journal, TortureDurability::volatile_memory, TortureDurability::none};
}

}  // namespace

void declare_torture(Arguments& arguments) {
  arguments.positional("DRIVE", "drive by name, or the path of its .toml file; 'torture' is made for this");
  arguments.option("--layer", "NAME", "translation layer, or all (default: the drive's own)");
  arguments.option("--durability", "NAME", "of the write cache: plp, journal, volatile, none for no write cache, or all (default)");
  arguments.repeated(
      "--faults", "NAME",
      "torn: the sector under the head becomes unreadable; paired: a torn page takes its partner with it; dump: every second "
      "dump fails half-way");
  arguments.option("--operations", "N", "persistent operations that are cut before, inside and after (default: 2000)");
  arguments.option("--cuts", "N", "cuts at random instants, as many as operations or fewer (default: 2000)");
  arguments.repeated("--cut-at", "TIME", "cut at these instants only, one run in one process");
  arguments.flag("--campaign", "draw layer, sizes, workload, faults and cuts together, many times, instead of cutting one run everywhere");
  arguments.option("--runs", "N", "runs of a campaign (default: 1000)");
  arguments.option("--only", "K", "only this run of the campaign");
  arguments.option(
      "--draw", "N",
      "1: draw as campaigns did before there were faults that come and go between boots, cuts in quick succession and options of "
      "caches; 2: as before the newer switches of the read cache and two arms; 3: as before factory defects, rates of errors by "
      "track, power conditions and heat; 4: as before refresh, interference, medium scans, frames without errors and faults below hosts "
      "that translate; 5: as before the write cache of zones and the options of the queue; 6: as before drives that are slow for a while; "
      "7: as "
      "before any parameter of the drive; 8: as before rows that bring all pairs of their values together (default: 9)");
  arguments.flag("--plain",
                 "draw runs of a campaign without faults and cuts: small caches with all their options, parts of sectors, every depth");
  arguments.option("--keep", "DIR", "keep the traces and states of a campaign's failures in this folder, and print the `run` commands");
  arguments.option("--prefill", "PERCENT", "share of the drive that holds data at the start (default: drawn from the seed)");
  arguments.option("--workload", "NAME", "workload to replay instead of the one that is drawn to hurt");
  arguments.option("--trace", "FILE", "trace to replay instead");
  declare_trace_reading(arguments);
  declare_firmware(arguments);
  arguments.repeated("--set", "PATH=VALUE", "override a parameter of the drive");
  arguments.option("--minimise", "FILE", "shorten the requests of the first loss and write them to this trace");
  arguments.flag("--json", "as JSON");
  arguments.option("--seed", "N", "seed of all random streams (default: 1)");
  arguments.option("--jobs", "N", "processes at a time (default: as many as there are CPUs)");
  declare_list_inputs(arguments);
}

/// A campaign draws what the options of single runs say.
void check_campaign(const Arguments& arguments) {
  for (const char* of_campaigns : {"--runs", "--only", "--keep", "--draw", "--plain"}) arguments.needs(of_campaigns, "--campaign");
  arguments.exclude("--plain", "--draw");
  for (const char* drawn : {"--durability", "--faults", "--operations", "--cuts", "--cut-at", "--prefill", "--workload", "--trace",
                            "--limit", "--minimise", "--elf"})
    arguments.exclude("--campaign", drawn);
}

ParsedCommand read_torture(const Arguments& arguments) {
  arguments.require("DRIVE", "a DRIVE; 'torture' is made for this");
  arguments.exclude("--trace", "--workload");
  check_campaign(arguments);
  for (const char* of_many_cuts : {"--cuts", "--minimise"}) arguments.exclude("--cut-at", of_many_cuts);
  if (arguments.given("--limit") && !arguments.given("--trace") && !arguments.given("--workload"))
    arguments.fail("--limit needs --trace or --workload; --operations says how long the workload is that is drawn");
  for (const char* of_traces : {"--format", "--event", "--volume", "--columns", "--time-unit"}) arguments.needs(of_traces, "--trace");
  TortureOptions torture;
  RunOptions& run = torture.run;
  run.drive = arguments.text("DRIVE");
  run.firmware = firmware_option(arguments);
  if (arguments.given("--trace")) run.trace = trace_reading(arguments, "--trace");
  run.workload = arguments.text("--workload");
  if (arguments.given("--limit")) run.limit = arguments.count("--limit", 0, 1, unbounded);
  run.fold = true;
  run.set = arguments.list("--set");
  run.cut_at = cut_times(arguments, false);
  run.boot_cuts = cut_times(arguments, true);
  run.seed = arguments.count("--seed", run.seed, 0, unbounded);
  torture.words = arguments.words({"--layer", "--durability", "--cuts", "--cut-at", "--prefill", "--minimise", "--json", "--seed", "--jobs",
                                   "--list-inputs", "--campaign", "--runs", "--only", "--keep"});
  run.list_inputs = arguments.set("--list-inputs");
  torture.layer = arguments.text("--layer");
  torture.durability = durability(arguments);
  for (const std::string& name : arguments.list("--faults")) torture.faults.push_back(faults[parse_name("--faults", name, faults)]);
  if (arguments.given("--prefill")) torture.prefill = static_cast<std::uint32_t>(arguments.count("--prefill", 0, 0, 100));
  torture.operations = arguments.count("--operations", usual_operations, 1, unbounded);
  torture.cuts = arguments.count("--cuts", std::min(usual_cuts, torture.operations), 0, torture.operations);
  torture.jobs = static_cast<std::uint32_t>(arguments.count("--jobs", 0, 1, most_jobs));
  torture.minimise = arguments.text("--minimise");
  if (arguments.set("--campaign")) torture.runs = arguments.count("--runs", usual_runs, 1, unbounded);
  if (arguments.given("--only")) torture.only = arguments.count("--only", 0, 0, unbounded);
  torture.draw = arguments.set("--plain") ? 0 : arguments.count("--draw", torture.draw, 1, 9);
  torture.keep = arguments.text("--keep");
  torture.json = arguments.set("--json");
  return torture;
}

}  // namespace tessera::cli
