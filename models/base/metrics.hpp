#pragma once
// Statistics: what components count, and how they report it. A metric carries name, unit and description, so that
// summary.json and the glossary derive from one declaration.
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/units.hpp"
#include "base/wide.hpp"

namespace tessera {

struct Metric {
  std::string name;             ///< dotted path, e.g. "host.latency.p99"
  std::optional<double> value;  ///< empty where the figure is undefined (a mean of nothing): null, never 0
  std::string unit;             ///< "ms", "B", "1", ...
  std::string description;
  bool accumulates = false;  ///< a count since power-on: a measurement takes the difference of two reports
};

/// busy / whole; undefined over no time.
[[nodiscard]] std::optional<double> share_of(Picoseconds busy, Picoseconds whole);

/// Collects metrics; a name that is reported twice is a model bug.
class MetricSet {
 public:
  void add(std::string name, std::optional<double> value, std::string unit, std::string description);
  void add(std::string name, Picoseconds value, std::string description);                 ///< reported in ms
  void count(std::string name, double value, std::string unit, std::string description);  ///< accumulates
  void count(std::string name, Picoseconds value, std::string description);               ///< accumulates; reported in ms
  /// Takes what `start`, an earlier report of the same counters, had accumulated off this one's.
  void subtract(const MetricSet& start);
  /// Adds every metric of `others`.
  void append(const MetricSet& others);
  /// Adds what `earlier`, the report of a firmware that a power cut ended, had accumulated.
  void add_counts(const MetricSet& earlier);
  [[nodiscard]] const std::vector<Metric>& all() const { return metrics_; }
  [[nodiscard]] const Metric* find(std::string_view name) const;

 private:
  std::vector<Metric> metrics_;
};

/// Mean, maximum and percentiles of durations in constant memory. Buckets are logarithmic with 256 linear steps an
/// octave: a percentile is at most 1/256 above the true one; mean and maximum are exact.
class DurationHistogram {
 public:
  void record(Picoseconds duration);
  [[nodiscard]] std::uint64_t count() const { return count_; }
  [[nodiscard]] Picoseconds max() const { return max_; }
  [[nodiscard]] Picoseconds total() const { return Picoseconds(static_cast<std::uint64_t>(sum_)); }
  [[nodiscard]] std::optional<double> mean_ps() const;
  /// Smallest bucket bound that at least `fraction` of the durations do not exceed; never above max().
  [[nodiscard]] std::optional<Picoseconds> percentile(double fraction) const;
  /// Adds PREFIX.mean, .p50, .p90, .p95, .p99, .p999 and .max in ms.
  void report(MetricSet& metrics, const std::string& prefix, const std::string& what) const;

 private:
  static constexpr unsigned step_bits = 8;
  static std::size_t bucket(std::uint64_t ps);
  static std::uint64_t upper_bound(std::size_t bucket);

  std::vector<std::uint64_t> buckets_;
  std::uint64_t count_ = 0;
  Wide sum_ = 0;
  Picoseconds max_;
};

/// A level over time: its peak and its mean weighted by time.
class TimeWeighted {
 public:
  void set(std::uint64_t level, Picoseconds now);
  /// `by` passes that the instants given here leave out.
  void rest(Picoseconds by) {
    area_ += wide_product(level_, by.value());
    rested_ += by.value();
  }
  /// Mean and peak begin anew at `now`.
  void restart(Picoseconds now);
  [[nodiscard]] std::uint64_t level() const { return level_; }
  [[nodiscard]] std::uint64_t peak() const { return peak_; }
  /// Mean from time 0, or the last restart(), to `now`; empty where that is no time.
  [[nodiscard]] std::optional<double> mean(Picoseconds now) const;

 private:
  std::uint64_t level_ = 0;
  std::uint64_t peak_ = 0;
  Picoseconds origin_;
  Picoseconds since_;
  Wide rested_ = 0;  // since `origin_`, ps
  Wide area_ = 0;
};

/// Sum and maximum of something counted in plain units (a cleaning's victims, say).
struct Tally {
  std::uint64_t count = 0;
  std::uint64_t sum = 0;
  std::uint64_t max = 0;
  void record(std::uint64_t value) {
    ++count;
    sum += value;
    max = value > max ? value : max;
  }
  [[nodiscard]] std::optional<double> mean() const {
    return count == 0 ? std::nullopt : std::optional(static_cast<double>(sum) / static_cast<double>(count));
  }
};

}  // namespace tessera
