#pragma once
// What one run of a comparison left behind.
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace tessera {

struct RunResult {
  std::string layer;
  std::uint64_t seed = 0;
  std::optional<int> status;  ///< exit status; empty: not run
  std::string message;        ///< of a run that ended badly: one sentence
  bool cleans = false;        ///< the layer has cleanings, whether any came or not
  bool unstable = false;
  bool partial = false;
  std::vector<std::string> notes;
  /// From summary.json; empty where the run wrote none.
  std::map<std::string, std::optional<double>, std::less<>> metrics;
  std::map<std::string, std::string, std::less<>> units;

  [[nodiscard]] bool measured() const { return !metrics.empty(); }
  /// Empty where the metric is undefined or not there.
  [[nodiscard]] std::optional<double> metric(std::string_view name) const {
    const auto at = metrics.find(name);
    return at == metrics.end() ? std::nullopt : at->second;
  }
};

/// Adds what the folder of a run that ended with `status` holds: its summary, and the message that it ended with.
void read_run(RunResult& run, const std::filesystem::path& folder, const std::filesystem::path& messages, int status);

}  // namespace tessera
