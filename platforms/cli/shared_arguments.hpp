#pragma once
// Arguments that several commands have.
#include <limits>
#include <string>
#include <vector>

#include "platforms/cli/arguments.hpp"
#include "platforms/cli/options.hpp"

namespace tessera::cli {

inline constexpr std::uint64_t unbounded = std::numeric_limits<std::uint64_t>::max();

/// The names of "A,B,C", each once.
[[nodiscard]] std::vector<std::string> names_in(const Arguments& arguments, const std::string& option);

/// How a trace is read; `file` names the option or positional with its path.
void declare_trace_reading(Arguments& arguments);
[[nodiscard]] TraceOptions trace_reading(const Arguments& arguments, const std::string& file);

/// The times of --cut-at: those since power-on (boot+TIME), or those since the start of the replay.
[[nodiscard]] std::vector<Picoseconds> cut_times(const Arguments& arguments, bool of_boot);

/// --firmware and how long a call of it may take.
void declare_firmware(Arguments& arguments);
[[nodiscard]] FirmwareOption firmware_option(const Arguments& arguments);

/// --percentiles, which run and serve share.
void declare_percentiles(Arguments& arguments);
[[nodiscard]] std::vector<Percentile> percentiles_option(const Arguments& arguments);

/// --list-inputs.
void declare_list_inputs(Arguments& arguments);

}  // namespace tessera::cli
