#pragma once
// What came of one run of a campaign: a line of JSON from the process that tried it.
#include <cstdint>
#include <string>
#include <vector>

#include "platforms/torture/finding.hpp"

namespace tessera {

struct CombinedResult {
  std::uint64_t run = 0;
  std::string layer;
  std::vector<std::string> faults;  ///< kinds, by name
  Finding::Outcome outcome = Finding::Outcome::good;
  std::uint32_t part = 0;            ///< that it ended in: 1 after the saved state was loaded
  std::vector<std::string> cuts[2];  ///< of each part, as --cut-at takes them
  std::vector<std::string> messages;
  std::uint64_t requests = 0;
  std::uint64_t cuts_in_recovery = 0;
  std::uint64_t excused = 0;       ///< requests that failed as the description's faults allow
  std::uint64_t dead = 0;          ///< drives that did not boot, as more was unreadable than the firmware keeps twice
  bool met_both_copies = false;    ///< a power cut came while both copies of something may have been unreadable
  std::uint64_t loaded = 0;        ///< states
  std::vector<std::uint32_t> met;  ///< items of the campaign's rows
  std::uint64_t blocks = 0;        ///< of 512 B that were compared with what was written

  [[nodiscard]] std::uint64_t all_cuts() const { return cuts[0].size() + cuts[1].size(); }
  [[nodiscard]] std::string to_line() const;
  [[nodiscard]] static CombinedResult from_line(const std::string& line);
};

}  // namespace tessera
