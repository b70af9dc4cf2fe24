#include "platforms/output/time_parts.hpp"

#include <algorithm>
#include <array>
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
    case LifePhase::cleaning: return "wait for space";
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

double sum_of(const std::vector<Group>& groups) {
  double whole = 0;
  for (const auto& [name, ms] : groups) whole += ms;
  return whole;
}

/// "media queue 61 %, media 38 %"
std::string largest(const std::vector<Group>& groups) {
  const double whole = sum_of(groups);
  std::string text;
  for (std::size_t i = 0; i < shown_groups; ++i)
    if (const auto& [name, ms] = groups[i]; ms >= worth_a_word * whole)
      text += (text.empty() ? "" : ", ") + name + " " + percent_text(ms / whole);
  return text;
}

/// The time for each cause in ms, longest first.
std::vector<Group> causes_of(const MetricLookup& metric, const std::string& prefix) {
  std::vector<Group> times;
  for (std::size_t i = 0; i < causes; ++i) {
    const auto cause = static_cast<Cause>(i);
    times.emplace_back(name_of(cause), metric(prefix + to_string(cause)).value_or(0));
  }
  std::stable_sort(times.begin(), times.end(), [](const Group& one, const Group& other) { return one.second > other.second; });
  return times;
}

/// Whether work other than the host's is worth a word.
bool held_up(const std::vector<Group>& times) {
  double others = 0;
  for (const auto& [name, ms] : times) {
    const auto of_host = [&called = name](Cause cause) { return called == name_of(cause); };
    if (!std::ranges::any_of(std::array{Cause::host, Cause::requests, Cause::tags, Cause::flash}, of_host)) others += ms;
  }
  return others > 0 && others >= worth_a_word * sum_of(times);
}

}  // namespace

TimeParts time_parts(const MetricLookup& metric, const std::string& ops) {
  const std::vector<Group> mean = groups_of(metric, ops + ".time.");
  const std::vector<Group> slowest = groups_of(metric, ops + ".slowest.");
  if (sum_of(mean) == 0) return {};
  return {{figure_text(sum_of(mean), "ms"), figure_text(sum_of(slowest), "ms")}, {largest(mean), largest(slowest)}};
}

const char* name_of(Cause cause) {
  switch (cause) {
    case Cause::host: return "own work";
    case Cause::requests: return "other requests";
    case Cause::cleaning: return "cleaning";
    case Cause::rmw: return "read-modify-write";
    case Cause::checkpoint: return "checkpoint";
    case Cause::move: return "moves of tracks";
    case Cause::destage: return "destage";
    case Cause::read_ahead: return "read-ahead";
    case Cause::recovery: return "recovery";
    case Cause::background: return "background work";
    case Cause::tags: return "waits for tags";
    case Cause::flash: return "waits at the flash";
    case Cause::count_: break;
  }
  return "";
}

Parts cause_parts(const MetricLookup& metric, const std::string& ops) {
  const std::vector<Group> mean = causes_of(metric, ops + ".cause.");
  const std::vector<Group> slowest = causes_of(metric, ops + ".slowest_cause.");
  if (!held_up(mean) && !held_up(slowest)) return {};
  return {largest(mean), largest(slowest)};
}

}  // namespace tessera
