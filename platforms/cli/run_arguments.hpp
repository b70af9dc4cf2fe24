#pragma once
// The arguments of `run`.
#include "platforms/cli/arguments.hpp"
#include "platforms/cli/options.hpp"

namespace tessera::cli {

inline constexpr const char* run_examples = R"(Examples:
  tessera-sim run common --layer imr-rmw --trace web_0.csv.xz --check --out results/web_0
  tessera-sim run common --layer mu-rmw --workload web-server --replay closed:32 --limit 100000 --out results/closed
  tessera-sim run interlaced-paper --trace t.vscsi --set media.rpm="5400 rpm" --intervals "10 s" --events --out results/slow
  tessera-sim run common --trace t.csv --vcd waves.vcd --record-trigger merge --record-before 5ms --record-after 20ms --out results/merge
  tessera-sim run common --trace t.csv --check --cut-at 1.5s --cut-at 4s --out results/cuts
  tessera-sim run common --workload web-server --limit 50000 --save-state warm.state --out results/warm
  tessera-sim run common --workload web-server --skip 50000 --load-state warm.state --out results/measured)";

void declare_run(Arguments& arguments);
[[nodiscard]] ParsedCommand read_run(const Arguments& arguments);

}  // namespace tessera::cli
