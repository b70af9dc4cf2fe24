#include "platforms/cli/serve_arguments.hpp"

#include "platforms/cli/shared_arguments.hpp"

namespace tessera::cli {

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

}  // namespace tessera::cli
