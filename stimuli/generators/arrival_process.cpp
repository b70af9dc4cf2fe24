#include "stimuli/generators/arrival_process.hpp"

#include <algorithm>
#include <iterator>

#include "base/simulated_time.hpp"

namespace tessera {

namespace {

/// Longer gaps end any run: 200 days (end_of_input).
constexpr double longest_ns = static_cast<double>(end_of_input.value()) / 1e3;

}  // namespace

ArrivalProcess::ArrivalProcess(const ArrivalConfig& config, RandomStream random)
    : law_(config.law),
      inside_ns_(static_cast<double>(config.mean.value()) / 1e3),
      deviation_ns_(static_cast<double>(config.deviation.value()) / 1e3),
      gaps_(config.gaps),
      random_(random) {
  if (config.burst_requests <= 1) return;
  const double length = config.burst_requests;
  burst_end_ = 1 / length;
  between_ns_ = inside_ns_ * length * config.idle_share;
  inside_ns_ *= (1 - config.idle_share) * length / (length - 1);
  deviation_ns_ *= (1 - config.idle_share) * length / (length - 1);
}

Picoseconds ArrivalProcess::gap() {
  if (law_ == ArrivalLaw::none) return Picoseconds(0);
  return Picoseconds(static_cast<std::uint64_t>(std::llround(std::clamp(draw_ns(), 0.0, longest_ns))) * 1000);
}

double ArrivalProcess::draw_ns() {
  if (burst_end_ > 0 && random_.unit() < burst_end_) return exponential(between_ns_);
  switch (law_) {
    case ArrivalLaw::exponential: return exponential(inside_ns_);
    case ArrivalLaw::normal: return inside_ns_ + deviation_ns_ * standard_normal();
    case ArrivalLaw::table: return tabled_ns();
    case ArrivalLaw::fixed:
    case ArrivalLaw::none: break;
  }
  return inside_ns_;
}

double ArrivalProcess::tabled_ns() {
  const double percent = 100 * random_.unit();
  const auto above = std::find_if(gaps_.begin(), gaps_.end(), [percent](const NumberRow& row) { return percent < row.at(0); });
  if (above == gaps_.begin()) return 1e3 * above->at(1);
  const NumberRow& below = *std::prev(above);
  const double part = (percent - below.at(0)) / (above->at(0) - below.at(0));
  return 1e3 * (below.at(1) + part * (above->at(1) - below.at(1)));
}

std::string fault_of_gaps(const std::vector<NumberRow>& gaps) {
  if (gaps.empty()) return "expected at least one row (percent, microseconds)";
  for (std::size_t i = 0; i < gaps.size(); ++i) {
    const bool in_range = gaps[i].at(0) > 0 && gaps[i].at(0) <= 100 && gaps[i].at(1) >= 0;
    const bool rises = i == 0 || (gaps[i].at(0) > gaps[i - 1].at(0) && gaps[i].at(1) >= gaps[i - 1].at(1));
    if (!in_range || !rises) return "row " + std::to_string(i + 1) + ": expected percents above 0 up to 100 and times, both rising";
  }
  return gaps.back().at(0) == 100 ? "" : "the last row is of " + std::to_string(gaps.back().at(0)) + " percent; expected 100";
}

/// Marsaglia's polar method; the second variate of a pair is not kept.
double ArrivalProcess::standard_normal() {
  for (;;) {
    const double x = 2 * random_.unit() - 1;
    const double y = 2 * random_.unit() - 1;
    const double square = x * x + y * y;
    if (square > 0 && square < 1) return x * std::sqrt(-2 * std::log(square) / square);
  }
}

}  // namespace tessera
