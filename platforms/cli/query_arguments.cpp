#include "platforms/cli/query_arguments.hpp"

#include <utility>

#include "platforms/cli/shared_arguments.hpp"

namespace tessera::cli {

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
  arguments.positional("TRACE", "block trace (plain, gz, xz, zstd, bz2 or lz4), or a saved state");
  declare_trace_reading(arguments);
  arguments.flag("--json", "as JSON");
}

ParsedCommand read_describe(const Arguments& arguments) {
  arguments.require("TRACE", "TRACE, the file of a block trace");
  return DescribeOptions{trace_reading(arguments, "TRACE"), arguments.set("--json")};
}

void declare_probe(Arguments& arguments) {
  arguments.positional("TRACE", "file that may be a block trace (plain, gz, xz, zstd, bz2 or lz4)");
}

ParsedCommand read_probe(const Arguments& arguments) {
  arguments.require("TRACE", "TRACE, the file of a block trace");
  return ProbeOptions{arguments.text("TRACE")};
}

void declare_convert(Arguments& arguments) {
  arguments.positional("TRACE", "block trace (plain, gz, xz, zstd, bz2 or lz4)");
  declare_trace_reading(arguments);
  arguments.option("--out", "FILE", "file to write");
  arguments.option(
      "--to", "FORM",
      "npy: NumPy array of arrival (ps), offset, size (bytes), volume, op, flags (default); fio, fio2: fio's log, version 3 or 2; "
      "blkparse; msr; columns: text that loses nothing");
}

ParsedCommand read_convert(const Arguments& arguments) {
  arguments.require("TRACE", "TRACE, the file of a block trace");
  arguments.require("--out", "--out FILE, the file to write");
  ConvertOptions convert{trace_reading(arguments, "TRACE"), arguments.text("--out")};
  if (arguments.given("--to"))
    convert.to = static_cast<ConvertForm>(arguments.choice("--to", {"npy", "fio", "fio2", "blkparse", "msr", "columns"}));
  return convert;
}

void declare_list(Arguments& arguments) {
  arguments.positional("WHAT", "drives, layers, workloads, arrays, formats or parameters");
  arguments.positional("DRIVE", "with parameters: show the values of this drive or array");
  arguments.flag("--json", "as JSON");
  arguments.flag("--schema", "with parameters: a JSON Schema of the files");
  arguments.flag("--markdown", "with parameters: the reference page");
  arguments.flag("--arrays", "with parameters: those of array files, not of drive files");
  declare_firmware(arguments);
}

ParsedCommand read_list(const Arguments& arguments) {
  arguments.require("WHAT", "one of drives, layers, workloads, arrays, formats, parameters");
  for (const auto& [one, other] : {std::pair("--json", "--schema"), {"--json", "--markdown"}, {"--schema", "--markdown"}}) {
    arguments.exclude(one, other);
  }
  ListOptions list;
  list.subject = static_cast<ListSubject>(arguments.choice("WHAT", {"drives", "layers", "workloads", "arrays", "formats", "parameters"}));
  list.firmware = firmware_option(arguments);
  const bool of_layers = list.subject == ListSubject::layers || list.subject == ListSubject::parameters;
  if (!list.firmware.file.empty() && !of_layers) arguments.fail("--firmware belongs to 'list layers' and 'list parameters'");
  if (!list.firmware.image.empty()) arguments.fail("--elf: an image is of one layer, which 'check' names");
  list.drive = arguments.text("DRIVE");
  list.arrays = arguments.set("--arrays");
  if (list.arrays && !list.firmware.file.empty()) arguments.fail("--firmware and --arrays: an array names its libraries in its file");
  if (arguments.set("--json")) list.format = ListFormat::json;
  if (arguments.set("--schema")) list.format = ListFormat::schema;
  if (arguments.set("--markdown")) list.format = ListFormat::markdown;
  if (list.subject != ListSubject::parameters) {
    for (const char* of_parameters : {"DRIVE", "--schema", "--markdown", "--arrays"}) {
      if (arguments.given(of_parameters)) arguments.fail(std::string(of_parameters) + " belongs to 'list parameters'");
    }
  }
  return list;
}

void declare_check(Arguments& arguments) {
  arguments.positional("DRIVE", "drive or array by name, or the path of its .toml file");
  arguments.option("--layer", "NAME", "translation layer (default: the drive's own)");
  declare_firmware(arguments);
  arguments.repeated("--set", "PATH=VALUE", "override a parameter of the drive or array");
  arguments.flag("--capacity", "print what the host can address in bytes, and nothing else");
  arguments.option("--load-state", "FILE", "say too what state the file holds, and whether it is one of this drive");
  arguments.option("--trace", "FILE", "read this block trace too: say what it is read as and why, and whether it fits on the drive");
  declare_trace_reading(arguments);
}

ParsedCommand read_check(const Arguments& arguments) {
  arguments.require("DRIVE", "a DRIVE; 'tessera-sim list drives' shows their names");
  arguments.exclude("--capacity", "--load-state");
  arguments.exclude("--capacity", "--trace");
  for (const char* of_traces :
       {"--format", "--event", "--volume", "--columns", "--time-unit", "--sort", "--spread", "--arrival", "--limit"})
    arguments.needs(of_traces, "--trace");
  CheckOptions check{arguments.text("DRIVE"),
                     firmware_option(arguments),
                     arguments.text("--layer"),
                     arguments.list("--set"),
                     arguments.text("--load-state"),
                     arguments.set("--capacity"),
                     std::nullopt};
  if (arguments.given("--trace")) check.trace = trace_reading(arguments, "--trace");
  return check;
}

}  // namespace tessera::cli
