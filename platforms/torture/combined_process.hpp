#pragma once
// The parts of a campaign's run, each in a process of its own: a process elaborates one drive.
#include "platforms/torture/combined_trial.hpp"

namespace tessera {

/// In words, of a process that did not end in order.
[[nodiscard]] std::string how_it_ended(int signal, int status);

/// From here on this process ends where it takes the processor for longer than any run does.
void limit_processor_time();

/// By the clock on the wall, for a process that waits for something that never comes.
inline constexpr std::chrono::seconds stalls_after{1800};

/// Whether the drive can be made: some of what it refuses, as memory that is too small, shows only then.
[[nodiscard]] bool can_be_made(const DriveConfig& drive, const FormatPlan& plan);

/// All parts of a run, and what came of them.
[[nodiscard]] CombinedResult run_parts(CombinedDraw::Drawn& drawn, const SearchPath& search, const CombinedFiles& files);

}  // namespace tessera
