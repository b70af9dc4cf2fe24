#pragma once
// Stands in for models/base/metrics.hpp in a small image, which reports nothing: names, units and sums of figures need no room there, and
// what is counted for them alone is not counted.
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "base/units.hpp"

namespace tessera {

struct Metric {
  std::string name, unit, description;
  std::optional<double> value;
  bool accumulates;
};

class MetricSet {
 public:
  [[nodiscard]] static std::span<const Metric> all() { return {}; }
  template <class... Figure>
  void add(Figure&&...) {}
  template <class... Figure>
  void count(Figure&&...) {}
};

template <class... Times>
[[nodiscard]] std::optional<double> share_of(Times...) {
  return std::nullopt;
}

class DurationHistogram {
 public:
  void record(Picoseconds) {}
  [[nodiscard]] static std::uint64_t count() { return 0; }
  [[nodiscard]] static Picoseconds max() { return {}; }
  [[nodiscard]] static Picoseconds total() { return {}; }
  [[nodiscard]] static std::optional<double> mean_ps() { return std::nullopt; }
  template <class... Figure>
  void report(Figure&&...) const {}
};

class TimeWeighted {
 public:
  void set(std::uint64_t, Picoseconds) {}
  void restart(Picoseconds) {}
  [[nodiscard]] static std::uint64_t level() { return 0; }
  [[nodiscard]] static std::uint64_t peak() { return 0; }
  [[nodiscard]] static std::optional<double> mean(Picoseconds) { return std::nullopt; }
};

struct Tally {
  std::uint64_t count = 0;
  std::uint64_t sum = 0;
  std::uint64_t max = 0;
  void record(std::uint64_t) {}
  [[nodiscard]] static std::optional<double> mean() { return std::nullopt; }
};

}  // namespace tessera
