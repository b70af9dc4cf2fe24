#include "platforms/cli/option_values.hpp"

#include <algorithm>
#include <charconv>
#include <limits>
#include <numeric>

#include "base/error.hpp"
#include "base/simulated_time.hpp"
#include "platforms/description/quantity.hpp"

namespace tessera::cli {

namespace {

[[noreturn]] void reject(std::string_view option, const std::string& expected, std::string_view found) {
  throw InputError(std::string(option) + ": expected " + expected + ", found '" + std::string(found) + "'");
}

/// A whole number and nothing else.
std::optional<std::uint64_t> whole_number(std::string_view text) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

/// The power of ten that "k", "M", "G" or "e6" after a number stands for.
std::optional<unsigned> power_of_ten(std::string_view text) {
  if (text.empty()) return 0;
  if (text == "k" || text == "K") return 3;
  if (text == "M") return 6;
  if (text == "G") return 9;
  unsigned power = 0;
  const auto [end, error] = std::from_chars(text.data() + 1, text.data() + text.size(), power);
  if ((text[0] != 'e' && text[0] != 'E') || error != std::errc() || end != text.data() + text.size() || power > 19) return std::nullopt;
  return power;
}

/// A count as people type it: 20000, 20k, 2.5M or 1e6.
std::optional<std::uint64_t> count_of(std::string_view text) {
  const auto past_digits = [](std::string_view of) { return std::min(of.find_first_not_of("0123456789"), of.size()); };
  const std::string_view whole = text.substr(0, past_digits(text));
  std::string_view rest = text.substr(whole.size());
  std::string_view fraction;
  if (rest.starts_with('.')) {
    fraction = rest.substr(1, past_digits(rest.substr(1)));
    rest.remove_prefix(1 + fraction.size());
    if (fraction.empty()) return std::nullopt;
  }
  const std::optional<unsigned> power = power_of_ten(rest);
  if (whole.empty() || !power || (*power == 0 && !fraction.empty()) || fraction.size() > *power) return std::nullopt;
  std::string digits = std::string(whole) + std::string(fraction);
  digits.append(*power - fraction.size(), '0');
  return whole_number(digits);
}

}  // namespace

std::uint64_t parse_count(std::string_view option, std::string_view text, std::uint64_t min, std::uint64_t max) {
  const auto number = count_of(text);
  if (number && *number >= min && *number <= max) return *number;
  const bool bounded = max < std::numeric_limits<std::uint64_t>::max();
  const std::string range = bounded ? " from " + std::to_string(min) + " to " + std::to_string(max) : " of at least " + std::to_string(min);
  reject(option, "a whole number" + range, text);
}

std::size_t parse_name(std::string_view option, std::string_view text, const std::vector<std::string>& names) {
  const auto match = std::find(names.begin(), names.end(), text);
  if (match != names.end()) return static_cast<std::size_t>(match - names.begin());
  throw InputError(std::string(option) + ": " + unknown_name("value", text, names));
}

LongTime parse_age(std::string_view option, std::string_view text) {
  constexpr std::uint64_t most_hours = 876'600;
  std::uint64_t number = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const std::string_view unit = text.substr(static_cast<std::size_t>(stop - text.data()));
  const std::uint64_t hours = unit == "d" ? 24 : unit == "w" ? 168 : unit == "y" ? 8'766 : 0;
  if (error != std::errc() || hours == 0 || number == 0 || number > most_hours / hours)
    reject(option, "a number of days, weeks or years up to 100 years, such as 90d, 26w or 5y", text);
  return LongTime(Picoseconds(std::uint64_t{3'600} * ps_per_second)) * (number * hours);
}

Picoseconds parse_instant(std::string_view option, std::string_view text) {
  const Picoseconds instant = parse_time(option, text);
  if (instant > end_of_input) reject(option, "an instant in the first 200 days, as far as a run goes", text);
  return instant;
}

Picoseconds parse_time(std::string_view option, std::string_view text) {
  try {
    return parse_quantity<Picoseconds>(text);
  } catch (const InputError& error) {
    throw InputError(std::string(option) + ": " + error.what());
  }
}

Bytes parse_size(std::string_view option, std::string_view text) {
  try {
    const Bytes size = parse_quantity<Bytes>(text);
    if (size != Bytes(0)) return size;
  } catch (const InputError& error) {
    throw InputError(std::string(option) + ": " + error.what());
  }
  reject(option, "a size above 0", text);
}

ReplayOption parse_replay(std::string_view text) {
  constexpr std::uint64_t deepest = 65'536;
  if (text == "timed") return {};
  if (text == "think") return {ReplayMode::think, 1};
  const auto colon = text.find(':');
  const std::string_view policy = text.substr(0, colon);
  if (colon != std::string_view::npos && (policy == "queue" || policy == "closed")) {
    const auto depth = whole_number(text.substr(colon + 1));
    if (depth && *depth >= 1 && *depth <= deepest) {
      return {policy == "queue" ? ReplayMode::queue : ReplayMode::closed, static_cast<std::uint32_t>(*depth)};
    }
  }
  reject("--replay", "timed, think, queue:N or closed:N with N from 1 to 65536", text);
}

std::string parse_digest(std::string_view option, std::string_view text) {
  constexpr std::size_t digits = 64;
  if (text.size() != digits || text.find_first_not_of("0123456789abcdef") != std::string_view::npos)
    reject(option, "a SHA-256 of 64 hexadecimal digits in lower case", text);
  return std::string(text);
}

namespace {

/// A positive decimal; nothing where `text` is none.
std::optional<DecimalRatio> decimal_ratio(std::string_view text) {
  constexpr std::size_t most_digits = 9;
  const auto point = text.find('.');
  const std::string_view whole = text.substr(0, point);
  const std::string_view fraction = point == std::string_view::npos ? "" : text.substr(point + 1);
  const auto number = whole_number(std::string(whole) + std::string(fraction));
  const bool well_formed = !whole.empty() && (point == std::string_view::npos || !fraction.empty());
  if (!well_formed || whole.size() > most_digits || fraction.size() > most_digits || !number || *number == 0) return std::nullopt;
  std::uint64_t denominator = 1;
  for (std::size_t i = 0; i < fraction.size(); ++i) denominator *= 10;
  const std::uint64_t divisor = std::gcd(*number, denominator);
  return DecimalRatio{*number / divisor, denominator / divisor};
}

}  // namespace

DecimalRatio parse_time_scale(std::string_view text) {
  const auto ratio = decimal_ratio(text);
  if (!ratio) reject("--time-scale", "a positive decimal number such as 2 or 0.25", text);
  return *ratio;
}

DecimalRatio parse_pace(std::string_view text) {
  constexpr std::string_view scaled = "scaled:";
  if (text == "real") return {};
  const auto ratio = text.starts_with(scaled) ? decimal_ratio(text.substr(scaled.size())) : std::nullopt;
  if (!ratio) reject("--pace", "real or scaled:X with a positive decimal number such as 2 or 0.25", text);
  return *ratio;
}

IntervalOption parse_intervals(std::string_view text) {
  constexpr std::string_view expected = "a time such as '1 s' or a count such as '10000 requests'";
  IntervalOption interval;
  const auto word = text.find("request");
  if (word != std::string_view::npos && (text.substr(word) == "request" || text.substr(word) == "requests")) {
    std::string_view count = text.substr(0, word);
    while (count.ends_with(' ')) count.remove_suffix(1);
    interval.requests = whole_number(count).value_or(0);
  } else {
    interval.time = Picoseconds(read_quantity(Dimension::time, text).amount);
  }
  if (interval.requests == 0 && interval.time == Picoseconds{}) reject("--intervals", std::string(expected), text);
  return interval;
}

namespace {

/// "99.90" as 99.9: one number has one name.
std::string shortest_decimal(std::string_view text) {
  if (text.find('.') == std::string_view::npos) return std::string(text);
  while (text.ends_with('0')) text.remove_suffix(1);
  if (text.ends_with('.')) text.remove_suffix(1);
  return std::string(text);
}

}  // namespace

std::vector<Percentile> parse_percentiles(std::string_view text) {
  constexpr std::string_view expected = "numbers above 0 and below 100 with commas between them, such as 50,99,99.99";
  std::vector<Percentile> all;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::string_view one = text.substr(begin, end - begin);
    begin = end + 1;
    const auto ratio = decimal_ratio(one);
    if (!ratio || ratio->numerator >= 100 * ratio->denominator || (one.size() > 1 && one[0] == '0' && one[1] != '.'))
      reject("--percentiles", std::string(expected), one);
    all.push_back({shortest_decimal(one), static_cast<double>(ratio->numerator) / static_cast<double>(100 * ratio->denominator)});
  }
  std::ranges::sort(all, {}, &Percentile::fraction);
  const auto twin = std::ranges::adjacent_find(all, {}, &Percentile::text);
  if (twin != all.end()) throw InputError("--percentiles: " + twin->text + " is named twice");
  return all;
}

std::pair<Picoseconds, Picoseconds> parse_window(std::string_view text) {
  const auto colon = text.find(':');
  if (colon == std::string_view::npos) reject("--record-window", "two times such as 10ms:20ms", text);
  const auto from = parse_time("--record-window", text.substr(0, colon));
  const auto to = parse_time("--record-window", text.substr(colon + 1));
  if (to <= from) reject("--record-window", "the end of the window after its start", text);
  return {from, to};
}

}  // namespace tessera::cli
