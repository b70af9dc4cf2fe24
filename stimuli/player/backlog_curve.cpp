#include "stimuli/player/backlog_curve.hpp"

#include <algorithm>

namespace tessera {

namespace {
constexpr std::uint64_t overload = 10;  // one request in so many waited at the end: a tenth more was asked for than was served
}

BacklogCurve::Interval& BacklogCurve::interval_of(LongTime at) {
  while (index(at) >= intervals) {
    for (std::size_t i = 0; i < intervals; i += 2)
      curve_[i / 2] = {curve_[i].arrivals + curve_[i + 1].arrivals, curve_[i].completions + curve_[i + 1].completions};
    std::fill(curve_.begin() + intervals / 2, curve_.end(), Interval{});
    ++width_bits_;
  }
  return curve_[index(at)];
}

void BacklogCurve::arrived(LongTime at) {
  if (arrivals_++ == 0) first_arrival_ = at;
  ++interval_of(at).arrivals;
  arrival_sum_ += at.value();
  last_arrival_ = std::max(last_arrival_, at);
}

void BacklogCurve::completed(LongTime at) {
  ++completions_;
  ++interval_of(at).completions;
  completion_sum_ += at.value();
  last_completion_ = std::max(last_completion_, at);
}

std::uint64_t BacklogCurve::peak() const {
  std::uint64_t level = 0;
  std::uint64_t peak = 0;
  for (const Interval& interval : curve_) {
    level = level + interval.arrivals - interval.completions;
    peak = std::max(peak, level);
  }
  return peak;
}

std::uint64_t BacklogCurve::final() const {
  std::uint64_t level = 0;
  for (std::size_t i = 0; i <= index(last_arrival_); ++i) level = level + curve_[i].arrivals - curve_[i].completions;
  return level;
}

std::optional<double> BacklogCurve::mean() const {
  const LongTime end = std::max(last_arrival_, last_completion_);
  if (completions_ == 0 || end == first_arrival_) return std::nullopt;
  const auto open = static_cast<unsigned __int128>(arrivals_ - completions_) * end.value();
  return static_cast<double>(completion_sum_ + open - arrival_sum_) / static_cast<double>((end - first_arrival_).value());
}

std::array<double, 4> BacklogCurve::quarters() const {
  std::array<double, 4> means{};
  if (arrivals_ == 0) return means;
  const std::size_t first = index(first_arrival_);
  const std::size_t count = index(last_arrival_) - first + 1;
  std::uint64_t level = 0;
  for (std::size_t quarter = 0; quarter < 4; ++quarter) {
    const std::size_t from = first + quarter * count / 4;
    const std::size_t to = first + (quarter + 1) * count / 4;
    std::uint64_t sum = 0;
    for (std::size_t i = from; i < to; ++i) sum += (level = level + curve_[i].arrivals - curve_[i].completions);
    means[quarter] = to > from ? static_cast<double>(sum) / static_cast<double>(to - from) : 0;
  }
  return means;
}

bool BacklogCurve::unstable(std::uint64_t floor) const {
  const std::uint64_t waiting = final();
  if (waiting <= floor) return false;
  if (waiting * overload >= arrivals_) return true;
  const std::array<double, 4> mean = quarters();
  const bool rises = mean[0] < mean[1] && mean[1] < mean[2] && mean[2] < mean[3];
  return rises && mean[3] >= 2 * mean[1];
}

}  // namespace tessera
