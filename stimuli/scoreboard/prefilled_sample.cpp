#include "stimuli/scoreboard/prefilled_sample.hpp"

#include <algorithm>
#include <set>

namespace tessera {

namespace {

constexpr std::uint64_t stretch = PrefilledBlocks::stretch;

/// Adds the known stretches of `run`, until there are `most`.
void add(std::set<std::uint64_t>& chosen, const PrefilledBlocks& prefilled, const HostRun& run, std::size_t most) {
  const std::uint64_t end = std::min(run.end().value(), prefilled.blocks);
  for (std::uint64_t at = run.first.value() / stretch; at * stretch < end && chosen.size() < most; ++at)
    if (prefilled.known(HostBlock(at * stretch))) chosen.insert(at);
}

}  // namespace

std::vector<HostRun> PrefilledSample::choose(const PrefilledBlocks& prefilled, const std::vector<HostRun>& written,
                                             const std::vector<HostRun>& changed) {
  const std::uint64_t stretches = (prefilled.blocks + stretch - 1) / stretch;
  const bool all = prefilled.blocks <= small;
  std::set<std::uint64_t> chosen;
  for (auto run = changed.rbegin(); run != changed.rend() && !all; ++run) add(chosen, prefilled, *run, most_changed);
  const std::size_t step = written.size() / most_written + 1;
  for (std::size_t i = 0; i < written.size() && !all; i += step) add(chosen, prefilled, written[i], most_changed + most_written);
  const std::uint64_t known = (stretches + prefilled.every - 1) / prefilled.every;
  const std::uint64_t gap = all ? 1 : known / spread + 1;
  for (std::uint64_t at = 0; at < stretches; at += gap * prefilled.every) chosen.insert(at);

  std::vector<HostRun> runs;
  runs.reserve(chosen.size());
  for (const std::uint64_t at : chosen)
    runs.push_back({HostBlock(at * stretch), static_cast<std::uint32_t>(std::min(stretch, prefilled.blocks - at * stretch))});
  return runs;
}

}  // namespace tessera
