#pragma once
// Reads back everything that was ever written, and prefilled blocks beside it: after a power cut, and at the end of a run.
#include <cstddef>
#include <string>
#include <vector>

#include "stimuli/readers/trace_record.hpp"
#include "stimuli/scoreboard/scoreboard.hpp"

namespace tessera {

/// Reads of at most 1 MiB over the blocks that `scoreboard` knows as written at the time of construction and those of `more`, ascending.
/// Run by a closed-loop player of its own, so that it stays out of the statistics. May be empty.
class VerificationSource final : public TraceSource {
 public:
  /// Sectors that are exempt are read each on its own: one that cannot be read hides nothing else.
  explicit VerificationSource(const Scoreboard& scoreboard, std::vector<HostRun> more = {});

  bool next(TraceRecord& record) override;
  [[nodiscard]] std::string position() const override { return "verification:" + std::to_string(next_); }
  [[nodiscard]] std::string volume_name(std::uint32_t) const override { return "-"; }
  [[nodiscard]] std::vector<std::string> notes() const override { return {}; }
  [[nodiscard]] std::size_t requests() const { return runs_.size(); }

 private:
  static constexpr std::uint32_t longest = 2048;  // blocks of 512 B: 1 MiB
  void add(const Scoreboard& scoreboard, const HostRun& run);

  std::vector<HostRun> runs_;
  std::size_t next_ = 0;
};

}  // namespace tessera
