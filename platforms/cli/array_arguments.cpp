#include "platforms/cli/array_arguments.hpp"

#include "platforms/cli/replay_arguments.hpp"
#include "platforms/cli/shared_arguments.hpp"

namespace tessera::cli {

void declare_array(Arguments& arguments) {
  arguments.positional("FILE", "description of the array, a .toml file: docs/arrays.md");
  declare_input(arguments, "; with neither, only what the file says happens");
  declare_replay(arguments, "array");
  arguments.option("--prefill", "PERCENT", "share of each drive that holds data at the start, 0 to 100 (default: each drive's own)");
  arguments.repeated("--set", "PATH=VALUE", "override a value of the array's file, as in rebuild.depth=8");
  arguments.flag("--check", "verify every read against the newest acknowledged write, and at the end parity and copies against the data");
  declare_content(arguments);
  declare_percentiles(arguments);
  arguments.flag("--check-protocol", "hold every TLM call between the parts against the rules of the base protocol");
  arguments.option("--seed", "N", "seed of all random streams (default: 1)");
  arguments.flag("--plan", "show the array's drives, capacity and what it survives, and run nothing");
  arguments.flag("--parameters", "list the parameters of arrays with this file's values, and run nothing; with --json as JSON");
  arguments.flag("--json", "print the summary as JSON, every digit");
  arguments.option("--out", "DIR",
                   "folder for the results; that of drive N is DIR/drive-N (tessera array: by default the next free out/array-N)");
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
  read_replay(arguments, run);
  run.drive = arguments.text("FILE");
  run.percentiles = percentiles_option(arguments);
  run.check_protocol = arguments.set("--check-protocol");
  run.json = arguments.set("--json");
  return array;
}

}  // namespace tessera::cli
