#include "stimuli/player/phase_times.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "base/log_buckets.hpp"

namespace tessera {

namespace {

// Most requests wait for their own work and for one another only: those are the first two causes.
constexpr auto requests_at = static_cast<std::size_t>(Cause::requests);
static_assert(Cause::host == Cause{} && requests_at == 1);

}  // namespace

std::uint64_t PhaseTimes::Class::part(std::size_t phase) const {
  return phase < parts.size() ? parts[phase] : std::accumulate(parts.begin(), parts.end(), latency, std::minus<>());
}

std::uint64_t PhaseTimes::Class::time(std::size_t cause) const {
  return cause > 0 ? held_up[cause] : std::accumulate(held_up.begin() + 1, held_up.end(), latency, std::minus<>());
}

std::uint32_t PhaseTimes::begin_class(std::size_t bucket) {
  if (bucket >= class_of_bucket_.size()) class_of_bucket_.resize(bucket + 1, none);
  classes_.push_back({.bucket = bucket});
  return class_of_bucket_[bucket] = static_cast<std::uint32_t>(classes_.size());
}

void PhaseTimes::record(const RequestLife& life, Picoseconds latency) {
  const std::size_t at = log_bucket(latency.value(), step_bits);
  std::uint32_t place = at < class_of_bucket_.size() ? class_of_bucket_[at] : none;
  if (place == none || classes_[place - 1].latency + latency.value() < latency.value()) [[unlikely]]
    place = begin_class(at);
  Class& sums = classes_[place - 1];
  ++sums.requests;
  sums.latency += latency.value();
  for (std::size_t phase = 0; phase < sums.parts.size(); ++phase) sums.parts[phase] += life.parts[phase].value();
  const auto& held_up = life.held_up_by;
  sums.held_up[requests_at] += held_up[requests_at].value();
  std::uint64_t others = 0;
  for (std::size_t cause = requests_at + 1; cause < causes; ++cause) others |= held_up[cause].value();
  if (others == 0) [[likely]]
    return;
  for (std::size_t cause = requests_at + 1; cause < causes; ++cause) sums.held_up[cause] += held_up[cause].value();
}

PhaseTimes::Share PhaseTimes::slowest(double share) const {
  Share found;
  if (classes_.empty()) return found;
  std::uint64_t requests = 0;
  std::vector<const Class*> slowest_first;
  for (const Class& sums : classes_) {
    requests += sums.requests;
    slowest_first.push_back(&sums);
  }
  std::stable_sort(slowest_first.begin(), slowest_first.end(),
                   [](const Class* one, const Class* other) { return one->bucket > other->bucket; });
  const auto wanted = std::max<std::uint64_t>(1, static_cast<std::uint64_t>(std::ceil(share * static_cast<double>(requests))));
  std::uint64_t missing = wanted;
  for (const Class* sums : slowest_first) {
    const std::uint64_t taken = std::min(missing, sums->requests);
    if (taken == 0) break;
    found.classes.emplace_back(sums, static_cast<double>(taken) / static_cast<double>(sums->requests));
    missing -= taken;
  }
  found.requests = static_cast<double>(wanted);
  return found;
}

PhaseTimes::Parts PhaseTimes::of_slowest(double share) const {
  Parts parts{};
  const Share slow = slowest(share);
  for (const auto& [sums, weight] : slow.classes)
    for (std::size_t phase = 0; phase < life_phases; ++phase) parts[phase] += weight * static_cast<double>(sums->part(phase));
  for (double& part : parts) part = part == 0 ? 0 : part * (1e-9 / slow.requests);
  return parts;
}

PhaseTimes::Causes PhaseTimes::causes_of_slowest(double share) const {
  Causes times{};
  const Share slow = slowest(share);
  for (const auto& [sums, weight] : slow.classes)
    for (std::size_t cause = 0; cause < causes; ++cause) times[cause] += weight * static_cast<double>(sums->time(cause));
  for (double& time : times) time = time == 0 ? 0 : time * (1e-9 / slow.requests);
  return times;
}

void PhaseTimes::report(MetricSet& metrics, const std::string& prefix, const std::string& what) const {
  constexpr double slowest_share = 0.01;
  const Parts all = mean();
  const Parts slow = of_slowest(slowest_share);
  const auto add = [&](const std::string& group, const Parts& parts, const std::string& whose) {
    for (std::size_t i = 0; i < life_phases; ++i) {
      const std::string phase = to_string(static_cast<LifePhase>(i));
      if (all[i] > 0) metrics.add(prefix + group + phase, parts[i], "ms", "part of the mean latency of " + whose + what + ": " + phase);
    }
  };
  add(".time.", all, "");
  add(".slowest.", slow, "the slowest 1 % of ");
  const Causes all_causes = causes_of_slowest(1);
  const Causes slow_causes = causes_of_slowest(slowest_share);
  const auto add_causes = [&](const std::string& group, const Causes& times, const std::string& whose) {
    for (std::size_t i = 0; i < causes; ++i) {
      const std::string cause = to_string(static_cast<Cause>(i));
      if (all_causes[i] > 0)
        metrics.add(prefix + group + cause, times[i], "ms", "part of the mean latency of " + whose + what + ", by cause: " + cause);
    }
  };
  add_causes(".cause.", all_causes, "");
  add_causes(".slowest_cause.", slow_causes, "the slowest 1 % of ");
}

}  // namespace tessera
