#pragma once
// The commands that simulate nothing. Each prints to standard output and returns the exit status; bad input throws InputError.
#include "platforms/cli/options.hpp"
#include "platforms/description/search_path.hpp"

namespace tessera {

/// The life of one request of a finished run.
[[nodiscard]] int explain_command(const cli::ExplainOptions& options);
/// What a trace is like.
[[nodiscard]] int describe_command(const cli::DescribeOptions& options);
/// What a trace is taken for, and why.
[[nodiscard]] int probe_command(const cli::ProbeOptions& options);
/// A trace as a NumPy file.
[[nodiscard]] int convert_command(const cli::ConvertOptions& options);
/// Names of drives, layers, workloads, formats, or the parameters of a drive.
[[nodiscard]] int list_command(const cli::ListOptions& options, const SearchPath& search);
/// Validates a drive description with its layer.
[[nodiscard]] int check_command(const cli::CheckOptions& options, const SearchPath& search);

}  // namespace tessera
