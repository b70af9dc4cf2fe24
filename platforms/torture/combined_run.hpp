#pragma once
// One run of a campaign: everything about it but the instants of its cuts, which are drawn while it runs.
#include <cstdint>
#include <string>
#include <vector>

#include "platforms/cli/options.hpp"
#include "platforms/drive/drive_config.hpp"

namespace tessera {

struct CombinedRun {
  std::uint64_t number = 0;             ///< in the campaign
  cli::RunOptions options;              ///< as `tessera-sim run` takes them; without the trace and the cuts
  std::string durability;               ///< plp, journal, volatile, none
  std::vector<std::string> faults;      ///< kinds, by name
  std::vector<std::string> wanted;      ///< kinds that its row asks for
  std::vector<std::string> parameters;  ///< that the kind "parameters" set, path=value
  std::vector<std::uint32_t> met;       ///< items of the campaign's rows that it has (drawn_rows.hpp), those without effect left out
  std::uint64_t requests = 0;
  std::uint64_t saved_after = 0;  ///< requests after which the state is saved and loaded; 0: one run from begin to end
  std::uint32_t cuts = 0;         ///< at most so many in each part
  bool hasty = false;             ///< they follow each other soon
  bool barriers = false;          ///< the host asks for durability all the time, and trims
  std::uint64_t span = 0;         ///< blocks of 512 B from the first on that requests go to; 0: all of the drive's
  bool exact = false;             ///< a run that was made shorter: its trace is there, and its cuts are these
  std::vector<std::string> exact_cuts[2];
};

/// The words of `tessera-sim run` that make one part of it again: part 0 is all of it, or what comes before the saved state; part 1 what
/// comes after it. `state`: the file between the parts.
[[nodiscard]] std::string command_of(const CombinedRun& run, std::uint32_t part, const std::string& trace, const std::string& state,
                                     const std::vector<std::string>& cuts);

}  // namespace tessera
