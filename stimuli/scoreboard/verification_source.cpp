#include "stimuli/scoreboard/verification_source.hpp"

#include <algorithm>
#include <utility>

namespace tessera {

VerificationSource::VerificationSource(const Scoreboard& scoreboard, std::vector<HostRun> more) {
  for (const HostRun& run : scoreboard.written(longest)) more.push_back(run);
  std::ranges::sort(more, {}, &HostRun::first);
  HostBlock end(0);  // of what is read so far
  for (const HostRun& run : more) {
    const HostBlock first = std::max(end, run.first);
    if (run.end() <= first) continue;
    end = run.end();
    add(scoreboard, {first, static_cast<std::uint32_t>(end - first)});
  }
}

void VerificationSource::add(const Scoreboard& scoreboard, const HostRun& run) {
  if (!scoreboard.exempted(run)) {
    runs_.push_back(run);
    return;
  }
  bool exempt_before = false;
  for (std::uint32_t i = 0; i < run.count; ++i) {
    const HostRun block{run.first + i, 1};
    const bool exempt = scoreboard.exempted(block);
    const bool new_sector = block.first.value() % scoreboard.sector_blocks() == 0;
    if (i > 0 && exempt == exempt_before && !(exempt && new_sector))
      ++runs_.back().count;
    else
      runs_.push_back(block);
    exempt_before = exempt;
  }
}

bool VerificationSource::next(TraceRecord& record) {
  if (next_ == runs_.size()) return false;
  const HostRun& run = runs_[next_++];
  record = TraceRecord{};
  record.op = HostOp::read;
  record.offset = Bytes(run.first.value() * host_block_bytes);
  record.size = Bytes(run.count * host_block_bytes);
  return true;
}

}  // namespace tessera
