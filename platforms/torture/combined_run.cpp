#include "platforms/torture/combined_run.hpp"

#include "platforms/output/program_name.hpp"
#include "platforms/torture/trace_text.hpp"

namespace tessera {

namespace {

std::string quoted(const std::string& word) { return word.find_first_of(" []") == std::string::npos ? word : "'" + word + "'"; }

std::string replay_text(const cli::ReplayOption& replay) {
  return (replay.mode == cli::ReplayMode::closed ? "closed:" : "queue:") + std::to_string(replay.depth);
}

}  // namespace

std::string command_of(const CombinedRun& run, std::uint32_t part, const std::string& trace, const std::string& state,
                       const std::vector<std::string>& cuts) {
  const cli::RunOptions& options = run.options;
  std::string words = std::string(program_name()) + " run " + quoted(options.drive) + " --layer " + options.layer + " --trace " +
                      quoted(trace) + " --columns " + trace_columns + " --replay " + replay_text(options.replay) + " --seed " +
                      std::to_string(options.seed) + " --check";
  for (const std::string& word : options.set) words += " --set " + quoted(word);
  if (part == 0) {
    words += " --prefill " + std::to_string(options.prefill_percent) + " --caches empty";  // whatever the drive's own are
    if (run.saved_after != 0) words += " --limit " + std::to_string(run.saved_after) + " --save-state " + quoted(state);
    for (const Picoseconds at : options.restarts) words += " --restart-at " + std::to_string(at.value()) + "ps";
  } else {
    words += " --skip " + std::to_string(run.saved_after) + " --load-state " + quoted(state);
  }
  for (const std::string& cut : cuts) words += " --cut-at " + cut;
  return words + " --out " + quoted(trace + ".out" + (part == 0 ? "" : "-2"));
}

}  // namespace tessera
