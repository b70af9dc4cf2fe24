#pragma once
// The values of options that are more than a number or a name. Each function throws InputError: the option, what it expects, what it got.
#include <string>
#include <string_view>

#include "platforms/cli/options.hpp"

namespace tessera::cli {

/// "timed", "queue:N", "closed:N"; N from 1 to 65536.
[[nodiscard]] ReplayOption parse_replay(std::string_view text);

/// A positive decimal such as "2" or "0.25", at most 9 digits before and 9 behind the point.
[[nodiscard]] DecimalRatio parse_time_scale(std::string_view text);

/// "real", or "scaled:X" with X as above.
[[nodiscard]] DecimalRatio parse_pace(std::string_view text);

/// A time such as "1 s", or a count such as "10000 requests"; neither may be 0.
[[nodiscard]] IntervalOption parse_intervals(std::string_view text);

/// Numbers above 0 and below 100 with commas between them, each once: "50,99,99.99". They come in rising order.
[[nodiscard]] std::vector<Percentile> parse_percentiles(std::string_view text);

/// Two times with a colon between them, the first before the second: "10ms:20ms".
[[nodiscard]] std::pair<Picoseconds, Picoseconds> parse_window(std::string_view text);

/// Such as 90d, 26w or 5y (of 365.25 days): at most 100 years.
[[nodiscard]] LongTime parse_age(std::string_view option, std::string_view text);
/// As parse_time(), of an instant of the run that can be simulated.
[[nodiscard]] Picoseconds parse_instant(std::string_view option, std::string_view text);

/// A time of an option such as --cut-at.
[[nodiscard]] Picoseconds parse_time(std::string_view option, std::string_view text);

/// A size of an option, above 0.
[[nodiscard]] Bytes parse_size(std::string_view option, std::string_view text);

/// A whole number of an option, from `min` to `max`.
[[nodiscard]] std::uint64_t parse_count(std::string_view option, std::string_view text, std::uint64_t min, std::uint64_t max);

/// The position of `text` in `names`.
[[nodiscard]] std::size_t parse_name(std::string_view option, std::string_view text, const std::vector<std::string>& names);

/// The SHA-256 of a file.
[[nodiscard]] std::string parse_digest(std::string_view option, std::string_view text);

}  // namespace tessera::cli
