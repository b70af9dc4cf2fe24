#pragma once
// What a run or a server records: its logs, and of the drive's signals which, when, and into which files.
#include "platforms/cli/arguments.hpp"
#include "platforms/cli/options.hpp"

namespace tessera::cli {

/// --requests, --intervals, --events and --places.
void declare_logs(Arguments& arguments);
void declare_recording(Arguments& arguments);
/// Nothing where no file for it is named.
[[nodiscard]] std::optional<RecordOptions> record_options(const Arguments& arguments);

}  // namespace tessera::cli
