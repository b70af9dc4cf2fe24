#pragma once
// The input of a run and how it is replayed: what `run` and `array` share.
#include <string>

#include "platforms/cli/arguments.hpp"
#include "platforms/cli/options.hpp"

namespace tessera::cli {

/// --trace, --workload and how a trace is read; `without` says what happens with neither of them.
void declare_input(Arguments& arguments, const std::string& without);

/// --replay to --warmup, for addresses of a `device`, as in "drive".
void declare_replay(Arguments& arguments, const std::string& device);

/// --content, beside --check, whose words are the command's own.
void declare_content(Arguments& arguments);

/// What these say, and --check, --set, --seed and --out, into `run`.
void read_replay(const Arguments& arguments, RunOptions& run);

}  // namespace tessera::cli
