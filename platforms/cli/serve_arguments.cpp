#include "platforms/cli/serve_arguments.hpp"

#include "platforms/cli/option_values.hpp"
#include "platforms/cli/record_arguments.hpp"
#include "platforms/cli/shared_arguments.hpp"

namespace tessera::cli {

void declare_serve(Arguments& arguments) {
  arguments.positional("DRIVE", "drive by name, or the path of its .toml file");
  arguments.option("--nbd", "ADDRESS", "where the NBD server listens: unix:PATH, PORT on the loopback interface, or HOST:PORT");
  arguments.option("--zones", "ADDRESS", "where clients reach the zones of --layer zoned, by the zone protocol; with or without --nbd");
  arguments.option("--layer", "NAME", "translation layer (default: the drive's own)");
  declare_firmware(arguments);
  arguments.repeated("--set", "PATH=VALUE", "override a parameter of the drive");
  arguments.option("--pace", "PACE", "real: answers take as long as simulated; scaled:X: X times as long (default: as fast as possible)");
  arguments.option("--image", "FILE",
                   "file of the drive's content: loaded at the start, kept up to date; what a FLUSH or FUA covers survives a kill");
  arguments.option("--load-state", "FILE", "begin with the drive as --save-state of serve, or of a run with --content bytes, left it");
  arguments.option("--save-state", "FILE", "shut the drive down at the end and keep what it holds");
  arguments.option("--out", "DIR", "folder for the results: summary.json, at the end and at SIGUSR1");
  declare_logs(arguments);
  declare_percentiles(arguments);
  declare_recording(arguments);
  arguments.option("--seed", "N", "seed of all random streams (default: 1)");
}

ParsedCommand read_serve(const Arguments& arguments) {
  arguments.require("DRIVE", "a DRIVE; 'tessera-sim list drives' shows their names");
  if (!arguments.given("--zones")) arguments.require("--nbd", "--nbd ADDRESS, unix:PATH, PORT or HOST:PORT (or --zones)");
  ServeOptions serve;
  serve.drive = arguments.text("DRIVE");
  serve.firmware = firmware_option(arguments);
  serve.layer = arguments.text("--layer");
  serve.set = arguments.list("--set");
  serve.nbd = arguments.text("--nbd");
  serve.zones = arguments.text("--zones");
  if (arguments.given("--pace")) serve.pace = parse_pace(arguments.text("--pace"));
  serve.image = arguments.text("--image");
  serve.load_state = arguments.text("--load-state");
  serve.save_state = arguments.text("--save-state");
  for (const char* of_results : {"--requests", "--intervals", "--events", "--places", "--percentiles", "--vcd", "--fst", "--timeline"})
    arguments.needs(of_results, "--out");
  serve.percentiles = percentiles_option(arguments);
  serve.out = arguments.text("--out");
  serve.requests = arguments.set("--requests");
  if (arguments.given("--intervals")) serve.intervals = parse_intervals(arguments.text("--intervals"));
  serve.events = arguments.set("--events");
  serve.places = arguments.set("--places");
  serve.record = record_options(arguments);
  serve.seed = arguments.count("--seed", serve.seed, 0, unbounded);
  return serve;
}

}  // namespace tessera::cli
