#include "stimuli/readers/calendar.hpp"

#include <chrono>
#include <cstdint>
#include <optional>

#include "base/units.hpp"

namespace tessera {
namespace {

/// Takes `digits` digits off the front.
std::optional<unsigned> digits_of(std::string_view& text, std::size_t digits) {
  unsigned value = 0;
  if (text.size() < digits) return std::nullopt;
  for (std::size_t i = 0; i < digits; ++i) {
    if (text[i] < '0' || text[i] > '9') return std::nullopt;
    value = value * 10 + static_cast<unsigned>(text[i] - '0');
  }
  text.remove_prefix(digits);
  return value;
}

bool mark(std::string_view& text, std::string_view one_of) {
  if (text.empty() || one_of.find(text.front()) == std::string_view::npos) return false;
  text.remove_prefix(1);
  return true;
}

/// Seconds since 1970 at the day's begin.
std::optional<std::int64_t> date(std::string_view& text) {
  const auto year = digits_of(text, 4);
  if (!year || !mark(text, "-/")) return std::nullopt;
  const auto month = digits_of(text, 2);
  if (!month || !mark(text, "-/")) return std::nullopt;
  const auto day = digits_of(text, 2);
  if (!day || *year < 1970 || !mark(text, " T_")) return std::nullopt;
  const std::chrono::year_month_day all{std::chrono::year(static_cast<int>(*year)), std::chrono::month(*month), std::chrono::day(*day)};
  if (!all.ok()) return std::nullopt;
  return std::chrono::sys_days(all).time_since_epoch().count() * std::int64_t{86'400};
}

/// Seconds that a clock is ahead, of Z, +01:00, -0800 or nothing.
std::optional<std::int64_t> zone(std::string_view text) {
  if (text.empty() || text == "Z") return 0;
  const bool behind = text.front() == '-';
  if (!mark(text, "+-")) return std::nullopt;
  const auto hours = digits_of(text, 2);
  mark(text, ":");
  const auto minutes = digits_of(text, 2);
  if (!hours || !minutes || !text.empty()) return std::nullopt;
  const std::int64_t ahead = *hours * 3'600 + *minutes * 60;
  return behind ? -ahead : ahead;
}

}  // namespace

NumberFault parse_calendar(std::string_view text, TraceTime& value) {
  std::int64_t begin = 0;
  if (text.size() > 4 && (text[4] == '-' || text[4] == '/')) {
    const auto day = date(text);
    if (!day) return NumberFault::malformed;
    begin = *day;
  }
  const auto hour = digits_of(text, 2);
  if (!hour || !mark(text, ":")) return NumberFault::malformed;
  const auto minute = digits_of(text, 2);
  if (!minute || !mark(text, ":") || *hour > 23 || *minute > 59) return NumberFault::malformed;
  const auto digits = text.find_first_not_of("0123456789.");
  TraceTime seconds = 0;
  if (parse_time(text.substr(0, digits), ps_per_second, seconds) != NumberFault::none || seconds >= TraceTime{61} * ps_per_second)
    return NumberFault::malformed;
  const auto ahead = zone(digits == std::string_view::npos ? std::string_view() : text.substr(digits));
  const std::int64_t whole = begin + *hour * 3'600 + *minute * 60;
  if (!ahead || *ahead > whole) return NumberFault::malformed;
  value = TraceTime{static_cast<std::uint64_t>(whole - *ahead)} * ps_per_second + seconds;
  return NumberFault::none;
}

}  // namespace tessera
