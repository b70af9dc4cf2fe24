#include "platforms/output/time_parts.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/request_life.hpp"
#include "platforms/output/figure_text.hpp"

namespace tessera {

namespace {

constexpr std::size_t shown_groups = 3;
constexpr double worth_a_word = 0.01;

const char* group_of(LifePhase phase) {
  switch (phase) {
    case LifePhase::host_queue: return "host queue";
    case LifePhase::link: return "link";
    case LifePhase::cpu_wait:
    case LifePhase::cpu:
    case LifePhase::dram: return "CPU";
    case LifePhase::lock: return "lock";
    case LifePhase::backup: return "backup slot";
    case LifePhase::media_queue: return "media queue";
    case LifePhase::background_wait: return "background work";
    case LifePhase::seek:
    case LifePhase::rotation:
    case LifePhase::transfer: return "media";
    case LifePhase::flash_queue: return "flash queue";
    case LifePhase::flash: return "flash";
    case LifePhase::cleaning: return "cleaning";
    case LifePhase::error_recovery: return "error recovery";
    case LifePhase::outage: return "outage";
    case LifePhase::count_: break;
  }
  return "";
}

using Group = std::pair<std::string, double>;

/// The time of each group in ms, longest first.
std::vector<Group> groups_of(const MetricLookup& metric, const std::string& prefix) {
  std::vector<Group> groups;
  for (std::size_t i = 0; i < life_phases; ++i) {
    const auto phase = static_cast<LifePhase>(i);
    const double ms = metric(prefix + to_string(phase)).value_or(0);
    const auto at = std::find_if(groups.begin(), groups.end(), [&](const Group& group) { return group.first == group_of(phase); });
    if (at == groups.end())
      groups.emplace_back(group_of(phase), ms);
    else
      at->second += ms;
  }
  std::stable_sort(groups.begin(), groups.end(), [](const Group& one, const Group& other) { return one.second > other.second; });
  return groups;
}

/// "53.2 ms: media queue 61 %, media 38 %"; empty over no time.
std::string largest(const std::vector<Group>& groups) {
  double whole = 0;
  for (const auto& [name, ms] : groups) whole += ms;
  if (whole == 0) return "";
  std::string text;
  for (std::size_t i = 0; i < shown_groups; ++i)
    if (const auto& [name, ms] = groups[i]; ms >= worth_a_word * whole)
      text += (text.empty() ? "" : ", ") + name + " " + percent_text(ms / whole);
  return figure_text(whole, "ms") + ": " + text;
}

}  // namespace

std::string time_parts(const MetricLookup& metric, const std::string& ops) {
  const std::string mean = largest(groups_of(metric, ops + ".time."));
  if (mean.empty()) return "";
  return "mean " + mean + "; slowest 1 % " + largest(groups_of(metric, ops + ".slowest."));
}

}  // namespace tessera
