#include "stimuli/player/initial_transient.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace tessera {

namespace {

// What the sums leave of batches that are all alike, over their squares.
constexpr double rounding = 1e-12;

// Stretches of what may be warm-up, each a mean whose rank counts, and so many deviations beyond which chance has one run in 100,000: a
// comparison takes the longest warm-up of hundreds.
constexpr std::size_t stretches = 16;
constexpr double hardly_ever = 4.417;
constexpr std::array<std::size_t, 5> parts{32, 16, 8, 4, 2};  // one batch in so many, at the start

// After the warm-up: groups, and the difference that nobody would pay for. They begin at an eighth of the run at the latest, for a drift
// through all of it makes its first half differ, and is no warm-up; and without the first requests, which few runs have like others. A step
// is found by Student's t of both halves (18 degrees of freedom; one run in a thousand by chance), a slow drift by its trend (in
// deviations; one in a hundred).
constexpr std::size_t groups = 20;
constexpr std::size_t half = groups / 2;
constexpr double margin = 0.05;
constexpr double a_step = 3.92;
constexpr double a_trend = 2.576;
constexpr std::size_t earliest_begin = 32;
constexpr std::size_t latest_begin = 8;

bool apart(double one, double other) { return std::abs(one - other) > margin * std::min(one, other); }

/// Of Mann and Kendall, in deviations.
double trend_of(const std::array<double, groups>& means) {
  int rising = 0;
  for (std::size_t i = 0; i < groups; ++i)
    for (std::size_t j = i + 1; j < groups; ++j) rising += (means[j] > means[i] ? 1 : 0) - (means[j] < means[i] ? 1 : 0);
  return rising / std::sqrt(groups * (groups - 1) * (2 * groups + 5) / 18.0);
}

}  // namespace

void InitialTransient::completed(std::uint64_t number, Picoseconds latency) {
  std::uint64_t index = number / smallest_batch >> merges_;
  for (; index >= most_batches; index /= 2) merge_pairs();
  if (index >= batches_.size()) batches_.resize(index + 1);
  batches_[index].latencies += latency.value();
  ++batches_[index].requests;
}

void InitialTransient::merge_pairs() {
  ++merges_;
  const std::size_t merged = (batches_.size() + 1) / 2;
  for (std::size_t i = 0; i < merged; ++i) {
    Batch pair = batches_[2 * i];
    if (2 * i + 1 < batches_.size()) {
      pair.latencies += batches_[2 * i + 1].latencies;
      pair.requests += batches_[2 * i + 1].requests;
    }
    batches_[i] = pair;
  }
  batches_.resize(merged);
}

double InitialTransient::mean_ms(std::size_t from, std::size_t to) const {
  double sum = 0;
  for (std::size_t i = from; i < to; ++i) sum += static_cast<double>(batches_[i].latencies) / 1e9;
  return sum / static_cast<double>((to - from) * batch_size());
}

bool InitialTransient::differs(std::size_t from, std::size_t to, std::size_t count) const {
  const std::size_t ours = std::min(stretches, to - from);
  if (ours == 0) return false;
  const std::size_t length = (to - from) / ours;
  const std::size_t others = (count - to) / length;
  std::vector<double> rest(others);
  for (std::size_t i = 0; i < others; ++i) rest[i] = mean_ms(to + i * length, to + (i + 1) * length);
  std::sort(rest.begin(), rest.end());
  double above = 0;  // of all pairs, in how many ours is the slower
  for (std::size_t i = 1; i <= ours; ++i) {
    const auto [low, high] = std::equal_range(rest.begin(), rest.end(), mean_ms(to - i * length, to - (i - 1) * length));
    above += static_cast<double>((low - rest.begin()) + (high - rest.begin())) / 2;
  }
  const auto pairs = static_cast<double>(ours * others);
  return std::abs(above - pairs / 2) > hardly_ever * std::sqrt(pairs * static_cast<double>(ours + others + 1) / 12);
}

bool InitialTransient::drifts(std::size_t from, std::size_t count) const {
  const std::size_t length = (count - from) / groups;
  if (length == 0) return false;
  std::array<double, groups> means{};
  for (std::size_t i = 0; i < groups; ++i) means[i] = mean_ms(count - (groups - i) * length, count - (groups - i - 1) * length);
  std::array<double, 2> of_half{};
  for (std::size_t i = 0; i < groups; ++i) of_half[i / half] += means[i] / half;
  double squares = 0;
  for (std::size_t i = 0; i < groups; ++i) squares += (means[i] - of_half[i / half]) * (means[i] - of_half[i / half]);
  const double error = std::sqrt(squares / (groups - 2) * 2 / half);
  return apart(of_half[0], of_half[1]) && (std::abs(of_half[0] - of_half[1]) > a_step * error || std::abs(trend_of(means)) > a_trend);
}

std::size_t InitialTransient::full_batches() const {
  std::size_t count = 0;
  while (count < batches_.size() && batches_[count].requests == batch_size()) ++count;
  return count;
}

std::size_t InitialTransient::mser_5(std::size_t count) const {
  double sum = 0;
  double squares = 0;
  double smallest = 0;
  std::size_t best = count;
  for (std::size_t from = count; from-- > 0;) {
    const double mean = mean_ms(from, from + 1);
    sum += mean;
    squares += mean * mean;
    if (from > count / 2) continue;
    const auto left = static_cast<double>(count - from);
    const double spread = squares - sum * sum / left;
    const double error = spread <= rounding * squares ? 0 : spread / (left * left);
    if (best != count && error > smallest) continue;  // of several the first
    smallest = error;
    best = from;
  }
  return best;
}

std::optional<InitialTransient::Cut> InitialTransient::cut() const {
  const std::size_t count = full_batches();
  if (count < fewest_batches) return std::nullopt;
  std::size_t warm_up = mser_5(count);
  if (!differs(0, warm_up, count)) warm_up = 0;
  const bool at_the_half = warm_up == count / 2 && apart(mean_ms(0, warm_up), mean_ms(warm_up, count));
  std::size_t begin = 0;
  for (const std::size_t part : parts) {
    const std::size_t end = count / part;
    if (end > warm_up && differs(std::max(begin, warm_up), end, count)) warm_up = end;
    begin = end;
  }
  double latencies_ms = 0;
  std::uint64_t requests = 0;
  for (std::size_t i = warm_up; i < batches_.size(); ++i) {
    latencies_ms += static_cast<double>(batches_[i].latencies) / 1e9;
    requests += batches_[i].requests;
  }
  return Cut{warm_up * batch_size(), !at_the_half && !drifts(std::clamp(warm_up, count / earliest_begin, count / latest_begin), count),
             latencies_ms / static_cast<double>(requests)};
}

}  // namespace tessera
