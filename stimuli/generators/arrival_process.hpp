#pragma once
// The times between requests.
#include <cmath>
#include <string>
#include <vector>

#include "base/random.hpp"
#include "stimuli/generators/workload_config.hpp"

namespace tessera {

/// Gaps in whole nanoseconds: rounding hides how libraries of mathematics differ in the last bit, so that a seed means the same
/// workload everywhere. With bursts, a gap ends the burst with probability 1/L (L = burst_requests); the gaps between bursts take
/// `idle_share` of the time, those inside the rest, and the mean over all gaps stays `mean`. Law table: the inverse of the distribution
/// whose percentiles `gaps` gives, linear between two rows.
class ArrivalProcess {
 public:
  /// Rows of `gaps`: percents and times rise, the last is 100 percent (check_gaps).
  ArrivalProcess(const ArrivalConfig& config, RandomStream random);
  [[nodiscard]] Picoseconds gap();

 private:
  [[nodiscard]] double standard_normal();
  [[nodiscard]] double exponential(double mean) { return -mean * std::log1p(-random_.unit()); }
  [[nodiscard]] double draw_ns();
  [[nodiscard]] double tabled_ns();

  ArrivalLaw law_;
  double inside_ns_;       // mean gap inside a burst
  double between_ns_ = 0;  // and between bursts
  double deviation_ns_;
  double burst_end_ = 0;  // probability that a gap ends the burst
  std::vector<NumberRow> gaps_;
  RandomStream random_;
};

/// What is wrong with the rows of a table of gaps, or an empty string.
[[nodiscard]] std::string fault_of_gaps(const std::vector<NumberRow>& gaps);

}  // namespace tessera
