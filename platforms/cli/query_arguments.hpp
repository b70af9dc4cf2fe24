#pragma once
// The arguments of the commands that simulate nothing: what they are told of results, traces, names and descriptions.
#include "platforms/cli/arguments.hpp"
#include "platforms/cli/options.hpp"

namespace tessera::cli {

inline constexpr const char* explain_examples = R"(Example:
  tessera-sim run common --trace t.csv --requests --out results/t && tessera-sim explain results/t 1207)";

inline constexpr const char* describe_examples = R"(Examples:
  tessera-sim describe web_3.csv.xz
  tessera-sim describe disk.txt --format columns --columns time=1:us,offset=3:512,size=4:512,op=5:r=1,w=0
  tessera-sim describe disk.ascii --format ascii --time-unit us)";

inline constexpr const char* probe_examples = R"(Example:
  tessera-sim probe disk.trace)";

inline constexpr const char* convert_examples = R"(Example:
  tessera-sim convert web_3.csv.xz --out web_3.npy)";

inline constexpr const char* list_examples = R"(Examples:
  tessera-sim list drives
  tessera-sim list parameters common
  tessera-sim list parameters --schema > drive.schema.json)";

inline constexpr const char* check_examples = R"(Examples:
  tessera-sim check common --layer mu-rmw
  tessera-sim check ./my_drive.toml --set dram.capacity="64 MiB"
  tessera-sim check common --trace disk.blktrace.0)";

void declare_explain(Arguments& arguments);
[[nodiscard]] ParsedCommand read_explain(const Arguments& arguments);

void declare_describe(Arguments& arguments);
[[nodiscard]] ParsedCommand read_describe(const Arguments& arguments);

void declare_probe(Arguments& arguments);
[[nodiscard]] ParsedCommand read_probe(const Arguments& arguments);

void declare_convert(Arguments& arguments);
[[nodiscard]] ParsedCommand read_convert(const Arguments& arguments);

void declare_list(Arguments& arguments);
[[nodiscard]] ParsedCommand read_list(const Arguments& arguments);

void declare_check(Arguments& arguments);
[[nodiscard]] ParsedCommand read_check(const Arguments& arguments);

}  // namespace tessera::cli
