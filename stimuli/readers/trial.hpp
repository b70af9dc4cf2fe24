#pragma once
// What a reading makes of a file's first records: the numbers by which a person tells a right reading from a wrong one.
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "stimuli/readers/probe.hpp"
#include "stimuli/readers/trace_record.hpp"

namespace tessera {

struct Trial {
  static constexpr std::uint64_t most_records = 10'000;

  std::uint64_t records = 0;
  std::uint64_t bytes = 0;  ///< read and written
  std::uint64_t volumes = 0;
  Picoseconds span;                   ///< from the first arrival to the last
  Picoseconds step;                   ///< greatest common divisor of the arrivals; 0 where all are 0
  bool shared_times = false;          ///< some records arrive at one time
  std::string error;                  ///< of the reader, "" where it read the sample
  [[nodiscard]] double rate() const;  ///< requests/s; 0 where the span is 0
  /// "10 requests, 5,242,880 B in 63 us (142,857/s)"
  [[nodiscard]] std::string text() const;
};

using OpenReading = std::function<std::unique_ptr<TraceSource>(TraceFile)>;

/// Reads the sample's records, as far as they go, with `open`.
[[nodiscard]] Trial try_reading(const std::string& path, const Sample& sample, const OpenReading& open);

}  // namespace tessera
