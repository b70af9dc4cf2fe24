#pragma once
// From the command line's words about the input to the stream of requests that the drive gets.
#include <memory>
#include <string>
#include <vector>

#include "platforms/cli/options.hpp"
#include "platforms/description/search_path.hpp"
#include "platforms/drive/drive_config.hpp"
#include "platforms/drive/luns.hpp"
#include "stimuli/generators/workload_config.hpp"
#include "stimuli/generators/zbd_generator.hpp"
#include "stimuli/readers/content_hash.hpp"
#include "stimuli/readers/open_trace.hpp"
#include "stimuli/readers/trace_record.hpp"

namespace tessera {

struct InputLimits {
  Bytes capacity;  ///< user capacity of the drive
  Bytes sector;    ///< of the drive
  LunsConfig luns{};
  std::vector<Bytes> lun_ends{};  ///< of several units
  WorkloadZones zones{};          ///< that the host sees
};

/// The trace or workload that `options` name, within the limits of the drive. InputError with the place in the trace. `hash` takes the
/// trace's bytes as they are read.
[[nodiscard]] std::unique_ptr<TraceSource> open_input(const cli::RunOptions& options, const SearchPath& search, const InputLimits& drive,
                                                      ContentHash* hash = nullptr);

/// Where the user named no share of the drive that holds data at the start, the drive's own (simulation.prefill). InputError where
/// addresses are to be folded into a share that is empty.
void choose_prefill(cli::RunOptions& options, DriveConfig& drive);

/// The workload file by name or path.
[[nodiscard]] WorkloadConfig load_workload(const SearchPath& search, const std::string& name);

/// Name of the input as the summary gives it, and what a reader of any result must know about it.
[[nodiscard]] std::string input_name(const cli::RunOptions& options);

/// The reader's words for the trace options of the command line, but for its limit.
[[nodiscard]] TraceOptions reading_of(const cli::TraceOptions& options);

}  // namespace tessera
