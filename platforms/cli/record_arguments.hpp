#pragma once
// What a run records of the drive's signals: which, when, and into which files.
#include "platforms/cli/arguments.hpp"
#include "platforms/cli/options.hpp"

namespace tessera::cli {

void declare_recording(Arguments& arguments);
/// Nothing where no file for it is named.
[[nodiscard]] std::optional<RecordOptions> record_options(const Arguments& arguments);

}  // namespace tessera::cli
