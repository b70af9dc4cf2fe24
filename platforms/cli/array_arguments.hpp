#pragma once
// The arguments of `array`.
#include "platforms/cli/arguments.hpp"
#include "platforms/cli/options.hpp"

namespace tessera::cli {

inline constexpr const char* array_examples =
    "Examples:\n"
    "  tessera-sim array raid.toml --plan\n"
    "  tessera-sim array raid.toml --workload random-4k --limit 20000 --out out/raid\n"
    "  tessera-sim array raid.toml --trace week.csv.xz --fold --check --out out/week";

void declare_array(Arguments& arguments);
[[nodiscard]] ParsedCommand read_array(const Arguments& arguments);

}  // namespace tessera::cli
