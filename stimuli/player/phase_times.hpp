#pragma once
// Where the time of requests went, and whose work it was: the parts of their mean latency and of the latency of the slowest.
#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/metrics.hpp"
#include "base/request_life.hpp"

namespace tessera {

/// Sums the phases and causes of requests by class of latency, so that the slowest per cent is known after the run without its requests.
/// Memory grows with the classes that occur (128 an octave at most, 240 B each), not with the requests.
class PhaseTimes {
 public:
  /// A part of the mean latency per phase, in ms.
  using Parts = std::array<double, life_phases>;
  /// The same per cause.
  using Causes = std::array<double, causes>;

  void record(const RequestLife& life, Picoseconds latency);
  [[nodiscard]] Parts mean() const { return of_slowest(1); }
  /// Of the slowest `share` of the requests, of one at least. The class in which their bound lies counts in proportion.
  [[nodiscard]] Parts of_slowest(double share) const;
  [[nodiscard]] Causes causes_of_slowest(double share) const;
  /// Adds PREFIX.time.PHASE and PREFIX.slowest.PHASE in ms, for each phase that took time, and PREFIX.cause.CAUSE and
  /// PREFIX.slowest_cause.CAUSE; `what`: "served reads".
  void report(MetricSet& metrics, const std::string& prefix, const std::string& what) const;

 private:
  /// Requests of about one latency. A bucket begins another one before the sums of 64 bits are full: after 213 days of waiting.
  struct Class {
    std::size_t bucket = 0;
    std::uint64_t requests = 0;
    std::uint64_t latency = 0;                           // ps; the sum of the parts
    std::array<std::uint64_t, life_phases - 1> parts{};  // ps; what they lack of the latency is the last phase's
    std::array<std::uint64_t, causes> held_up{};         // ps; what the others lack of the latency is Cause::host

    [[nodiscard]] std::uint64_t part(std::size_t phase) const;
    [[nodiscard]] std::uint64_t time(std::size_t cause) const;
  };
  /// Classes with how much of each counts, and the requests that this makes.
  struct Share {
    std::vector<std::pair<const Class*, double>> classes;
    double requests = 0;
  };
  [[nodiscard]] Share slowest(double share) const;

  static constexpr unsigned step_bits = 7;  // linear steps an octave: a class is 1/128 wide
  static constexpr std::uint32_t none = 0;

  std::uint32_t begin_class(std::size_t bucket);

  std::vector<std::uint32_t> class_of_bucket_;  // 1 + the place of its newest in classes_, or none
  std::vector<Class> classes_;
};

}  // namespace tessera
