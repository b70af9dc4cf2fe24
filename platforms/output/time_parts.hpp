#pragma once
// Where the time of reads or writes went, in words: the phases of their lives in the groups that a reader of a summary knows.
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/cause.hpp"

namespace tessera {

/// The value of a metric, if there is one.
using MetricLookup = std::function<std::optional<double>(std::string_view name)>;

/// What is said of all requests of a kind, and of the slowest 1 % of them.
struct Parts {
  std::string mean;
  std::string slowest;
};

/// Where their time went: "8.05 ms" on average, "media 93 %, link 5.0 %", of the metrics OPS.time.PHASE and OPS.slowest.PHASE (`ops`:
/// "host.read"). Empty where there are none.
struct TimeParts {
  Parts times;
  Parts phases;
};
[[nodiscard]] TimeParts time_parts(const MetricLookup& metric, const std::string& ops);

/// As readers know it: "read-modify-write".
[[nodiscard]] const char* name_of(Cause cause);

/// Whose work that was, of the metrics OPS.cause.CAUSE and OPS.slowest_cause.CAUSE: "cleaning 62 %, other requests 30 %". Empty where next
/// to all of it was work for the host.
[[nodiscard]] Parts cause_parts(const MetricLookup& metric, const std::string& ops);

}  // namespace tessera
