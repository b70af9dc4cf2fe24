#include "base/metrics.hpp"

#include <algorithm>
#include <cmath>

#include "base/log_buckets.hpp"

namespace tessera {

std::optional<double> share_of(Picoseconds busy, Picoseconds whole) {
  if (whole == Picoseconds(0)) return std::nullopt;
  return static_cast<double>(busy.value()) / static_cast<double>(whole.value());
}

void MetricSet::add(std::string name, std::optional<double> value, std::string unit, std::string description) {
  if (find(name) != nullptr) model_bug(__FILE__, __LINE__, ("the metric " + name + " was reported twice").c_str());
  metrics_.push_back({std::move(name), value, std::move(unit), std::move(description), false});
}

void MetricSet::count(std::string name, double value, std::string unit, std::string description) {
  add(std::move(name), value, std::move(unit), std::move(description));
  metrics_.back().accumulates = true;
}

void MetricSet::count(std::string name, Picoseconds value, std::string description) {
  add(std::move(name), value, std::move(description));
  metrics_.back().accumulates = true;
}

void MetricSet::subtract(const MetricSet& start) {
  for (Metric& metric : metrics_) {
    if (!metric.accumulates || !metric.value) continue;
    if (const Metric* before = start.find(metric.name); before != nullptr && before->value) *metric.value -= *before->value;
  }
}

void MetricSet::add(std::string name, Picoseconds value, std::string description) {
  add(std::move(name), static_cast<double>(value.value()) * 1e-9, "ms", std::move(description));
}

const Metric* MetricSet::find(std::string_view name) const {
  const auto at = std::find_if(metrics_.begin(), metrics_.end(), [name](const Metric& m) { return m.name == name; });
  return at == metrics_.end() ? nullptr : &*at;
}

void MetricSet::append(const MetricSet& others) {
  for (const Metric& metric : others.metrics_) {
    add(metric.name, metric.value, metric.unit, metric.description);
    metrics_.back().accumulates = metric.accumulates;
  }
}

void MetricSet::add_counts(const MetricSet& earlier) {
  for (Metric& metric : metrics_) {
    if (!metric.accumulates || !metric.value) continue;
    if (const Metric* before = earlier.find(metric.name); before != nullptr && before->value) *metric.value += *before->value;
  }
}

std::size_t DurationHistogram::bucket(std::uint64_t ps) { return log_bucket(ps, step_bits); }

std::uint64_t DurationHistogram::upper_bound(std::size_t bucket) {
  if (bucket < (std::size_t{2} << step_bits)) return bucket;
  const std::size_t shift = (bucket >> step_bits) - 1;
  const std::uint64_t step = (bucket & ((std::size_t{1} << step_bits) - 1)) | (std::uint64_t{1} << step_bits);
  return ((step + 1) << shift) - 1;
}

void DurationHistogram::record(Picoseconds duration) {
  const std::size_t at = bucket(duration.value());
  if (at >= buckets_.size()) buckets_.resize(at + 1);
  ++buckets_[at];
  ++count_;
  sum_ += duration.value();
  max_ = std::max(max_, duration);
}

std::optional<double> DurationHistogram::mean_ps() const {
  if (count_ == 0) return std::nullopt;
  return static_cast<double>(sum_) / static_cast<double>(count_);
}

std::optional<Picoseconds> DurationHistogram::percentile(double fraction) const {
  if (count_ == 0) return std::nullopt;
  const auto wanted = std::max<std::uint64_t>(1, static_cast<std::uint64_t>(std::ceil(fraction * static_cast<double>(count_))));
  std::uint64_t seen = 0;
  for (std::size_t i = 0; i < buckets_.size(); ++i) {
    seen += buckets_[i];
    if (seen >= wanted) return std::min(max_, Picoseconds(upper_bound(i)));
  }
  return max_;
}

void DurationHistogram::report(MetricSet& metrics, const std::string& prefix, const std::string& what) const {
  const auto in_ms = [](std::optional<Picoseconds> t) { return t ? std::optional(static_cast<double>(t->value()) * 1e-9) : std::nullopt; };
  const auto mean = mean_ps();
  metrics.add(prefix + ".mean", mean ? std::optional(*mean * 1e-9) : std::nullopt, "ms", "mean " + what);
  struct Named {
    const char* suffix;
    const char* words;
    double fraction;
  };
  for (const Named& p : {Named{".p50", "median", 0.5}, Named{".p90", "90th percentile of", 0.9}, Named{".p95", "95th percentile of", 0.95},
                         Named{".p99", "99th percentile of", 0.99}, Named{".p999", "99.9th percentile of", 0.999}})
    metrics.add(prefix + p.suffix, in_ms(percentile(p.fraction)), "ms", std::string(p.words) + " " + what);
  metrics.add(prefix + ".max", count_ == 0 ? std::nullopt : in_ms(max_), "ms", "longest " + what);
}

void TimeWeighted::set(std::uint64_t level, Picoseconds now) {
  now = std::max(now, since_);  // a power cut comes at the drive's time, which the CPU's may have been ahead of
  area_ += wide_product(level_, (now - since_).value());
  level_ = level;
  peak_ = std::max(peak_, level);
  since_ = now;
}

void TimeWeighted::restart(Picoseconds now) {
  origin_ = since_ = now;
  area_ = rested_ = 0;
  peak_ = level_;
}

std::optional<double> TimeWeighted::mean(Picoseconds now) const {
  now = std::max(now, since_);
  Wide whole = (now - origin_).value();
  whole += rested_;
  if (whole == Wide(0)) return std::nullopt;
  const auto area = area_ + wide_product(level_, (now - since_).value());
  return static_cast<double>(area) / static_cast<double>(whole);
}

}  // namespace tessera
