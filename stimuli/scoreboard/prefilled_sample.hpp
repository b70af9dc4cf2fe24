#pragma once
// Which prefilled blocks a verification reads beside those that were written: all of a small drive, and of a large one those that what
// happened can have reached, with a spread of others.
#include <vector>

#include "stimuli/scoreboard/prefilled_blocks.hpp"

namespace tessera {

class PrefilledSample {
 public:
  /// Prefilled blocks up to which all are read: 64 MiB, about a second of simulated time.
  static constexpr std::uint64_t small = std::uint64_t{1} << 17;
  /// Stretches of 1 MiB that a verification reads at most for each of the three reasons.
  static constexpr std::size_t most_changed = 512;
  static constexpr std::size_t most_written = 512;
  static constexpr std::size_t spread = 64;

  /// Runs of whole stretches, ascending. `written`: every block ever written, ascending. `changed`: blocks whose tracks were written
  /// or damaged since the prefill, the newest last.
  [[nodiscard]] static std::vector<HostRun> choose(const PrefilledBlocks& prefilled, const std::vector<HostRun>& written,
                                                   const std::vector<HostRun>& changed);
};

}  // namespace tessera
