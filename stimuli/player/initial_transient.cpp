#include "stimuli/player/initial_transient.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace tessera {

namespace {

// What the sums leave of batches that are all alike, over their squares.
constexpr double rounding = 1e-12;

// Behind the cut: groups of which half lie in each half, Student's t of their means beyond which chance has one run in a thousand (18
// degrees of freedom), and the difference that nobody would pay for.
constexpr std::size_t groups = 20;
constexpr double unlikely = 3.92;
constexpr double margin = 0.05;

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

bool InitialTransient::drifts(std::size_t from, std::size_t count) const {
  const std::size_t length = (count - from) / groups;
  if (length == 0) return false;
  std::array<double, groups> means{};
  for (std::size_t i = 0; i < groups; ++i) means[i] = mean_ms(from + i * length, from + (i + 1) * length);
  constexpr std::size_t half = groups / 2;
  std::array<double, 2> of_half{};
  for (std::size_t i = 0; i < groups; ++i) of_half[i / half] += means[i] / half;
  double squares = 0;
  for (std::size_t i = 0; i < groups; ++i) squares += (means[i] - of_half[i / half]) * (means[i] - of_half[i / half]);
  const double error = std::sqrt(squares / (groups - 2) * 2 / half);
  const double difference = std::abs(of_half[0] - of_half[1]);
  return difference > margin * std::min(of_half[0], of_half[1]) && difference > unlikely * error;
}

std::optional<InitialTransient::Cut> InitialTransient::cut() const {
  const std::uint64_t size = batch_size();
  std::size_t count = 0;
  while (count < batches_.size() && batches_[count].requests == size) ++count;
  if (count < fewest_batches) return std::nullopt;
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
  return Cut{best * size, (best == 0 || best < count / 2) && !drifts(best, count)};
}

}  // namespace tessera
