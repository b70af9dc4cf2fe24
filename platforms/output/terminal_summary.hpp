#pragma once
// What a run says on the terminal: what is wrong first, then its figures in groups, each left out where the run has none of it.
#include <cstdint>
#include <string>
#include <vector>

#include "base/metrics.hpp"
#include "base/percentile.hpp"
#include "base/units.hpp"

namespace tessera {

struct RunVerdict {
  bool partial = false;                   ///< ended by a signal
  bool unstable = false;                  ///< requests piled up to the end
  bool cleans = false;                    ///< the layer cleans, now and then
  bool unsteady = false;                  ///< latencies changed to the end (InitialTransient)
  bool recovered = true;                  ///< boots within it found what a power cut left; false: only the one that it began with
  std::uint64_t power_cuts = 0;           ///< that it made
  std::string caches{};                   ///< what is wrong with how they began; "" where nothing is
  Bytes dram{};                           ///< size of the drive's; 0: not known
  std::vector<Percentile> percentiles{};  ///< to show; none: the usual ones
};

/// What is wrong with the figures, the worst first; empty where nothing is.
[[nodiscard]] std::vector<std::string> what_is_wrong(const MetricSet& metrics, const RunVerdict& verdict);

/// "media 97 %, CPU 12 %": shares of the measured time in which resources were busy, the highest first; "" where none was for 0.1 %.
[[nodiscard]] std::string bound_by(const MetricSet& metrics);

/// The lines between the title and the notes, each a fact, for a terminal of 80 columns.
[[nodiscard]] std::string terminal_summary(const MetricSet& metrics, const RunVerdict& verdict);

}  // namespace tessera
