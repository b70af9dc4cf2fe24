#pragma once
// All cuts of one drive, layer and durability: the trial's processes, and what they found.
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "platforms/torture/trial.hpp"

namespace tessera {

struct CampaignResult {
  std::map<std::string, std::uint64_t> cuts;  ///< by what they hit; a row of cuts counts as what its last one hit
  std::uint64_t in_a_row = 0;                 ///< of these, second and third cuts
  std::uint64_t failures = 0;
  std::vector<Finding> told;  ///< the first failures
  Finding uncut;              ///< the run without cuts
  std::string refusal;        ///< why there was none, or nothing

  [[nodiscard]] std::uint64_t all_cuts() const;
};

/// Runs the trial in processes of its own. `first_only`: ends them all at the first failure.
[[nodiscard]] CampaignResult run_campaign(const TrialConfig& config, bool first_only = false);

}  // namespace tessera
