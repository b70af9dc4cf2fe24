#pragma once
// The arguments of `torture`.
#include "platforms/cli/arguments.hpp"
#include "platforms/cli/options.hpp"

namespace tessera::cli {

inline constexpr const char* torture_examples = R"(Examples:
  tessera-sim torture torture --layer all
  tessera-sim torture torture --layer fluid --durability none --operations 500 --cuts 500 --seed 7 --minimise lost.csv
  tessera-sim torture torture --campaign --layer all --runs 5000 --seed 7
  tessera-sim torture ./my_drive.toml --layer imr-rmw --faults torn --workload random-4k)";

void declare_torture(Arguments& arguments);
[[nodiscard]] ParsedCommand read_torture(const Arguments& arguments);

}  // namespace tessera::cli
