#include "stimuli/player/initial_transient.hpp"

namespace tessera {

namespace {

// What the sums leave of batches that are all alike, over their squares.
constexpr double rounding = 1e-12;

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

std::optional<InitialTransient::Cut> InitialTransient::cut() const {
  const std::uint64_t size = smallest_batch << merges_;
  std::size_t count = 0;
  while (count < batches_.size() && batches_[count].requests == size) ++count;
  if (count < fewest_batches) return std::nullopt;
  const auto mean_ms = [&](std::size_t batch) {
    return static_cast<double>(batches_[batch].latencies) / (1e9 * static_cast<double>(size));
  };
  double sum = 0;
  double squares = 0;
  double smallest = 0;
  std::size_t best = count;
  for (std::size_t from = count; from-- > 0;) {
    const double mean = mean_ms(from);
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
  return Cut{best * size, best == 0 || best < count / 2};
}

}  // namespace tessera
