#pragma once
// Slower or faster: all arrival times multiplied by an exact ratio.
#include <string_view>

#include "stimuli/readers/trace_record.hpp"

namespace tessera {

struct TimeScale {
  std::uint64_t numerator = 1;
  std::uint64_t denominator = 1;
  constexpr bool operator==(const TimeScale&) const = default;
};

/// "2" is twice as slow; "0.5" and "1/2" twice as fast. Must be above 0, with at most nine decimals; else InputError.
[[nodiscard]] TimeScale parse_time_scale(std::string_view text);

/// Each arrival, and think time, to the nearest picosecond; one past 2^64 ps is an InputError.
[[nodiscard]] std::unique_ptr<TraceSource> scale_time(std::unique_ptr<TraceSource> inner, TimeScale scale);

}  // namespace tessera
