#include "stimuli/readers/decimal.hpp"

#include <charconv>
#include <limits>

#include "base/units.hpp"

namespace tessera {
namespace {

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }

NumberFault parse_in_base(std::string_view text, int base, std::uint64_t& value) {
  std::uint64_t parsed = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), parsed, base);
  if (stop != text.data() + text.size() || text.empty() || error == std::errc::invalid_argument)
    return text.size() > 1 && text[0] == '-' && is_digit(text[1]) ? NumberFault::negative : NumberFault::malformed;
  if (error == std::errc::result_out_of_range) return NumberFault::overflow;
  value = parsed;
  return NumberFault::none;
}

}  // namespace

NumberFault parse_unsigned(std::string_view text, std::uint64_t& value) {
  constexpr std::size_t never_too_large = std::numeric_limits<std::uint64_t>::digits10;  // digits
  std::uint64_t parsed = 0;
  std::size_t digits = 0;
  for (; digits < text.size() && digits < never_too_large && is_digit(text[digits]); ++digits)
    parsed = parsed * 10 + static_cast<unsigned>(text[digits] - '0');
  if (digits == 0 || digits != text.size()) return parse_in_base(text, 10, value);  // what is rare: long, or no number
  value = parsed;
  return NumberFault::none;
}

NumberFault parse_hexadecimal(std::string_view text, std::uint64_t& value) {
  if (text.starts_with("0x") || text.starts_with("0X")) text.remove_prefix(2);
  return parse_in_base(text, 16, value);
}

NumberFault parse_time(std::string_view text, std::uint64_t ps_per_unit, TraceTime& value) {
  const auto point = text.find('.');
  std::uint64_t whole = 0;
  if (const auto fault = parse_unsigned(text.substr(0, point), whole); fault != NumberFault::none) return fault;
  TraceTime time = TraceTime{whole} * ps_per_unit;
  if (point != std::string_view::npos) {
    TraceTime fraction = 0;  // digits after the point, in units of 1 / scale
    std::uint64_t scale = 1;
    for (const char c : text.substr(point + 1)) {
      if (!is_digit(c)) return NumberFault::malformed;
      if (scale >= ps_per_unit) continue;  // below a picosecond
      scale *= 10;
      fraction = fraction * 10 + static_cast<unsigned>(c - '0');
    }
    // Both are powers of ten for every unit but odd ones: no division of 128 bits.
    time += ps_per_unit % scale == 0 ? fraction * (ps_per_unit / scale) : fraction * ps_per_unit / scale;
  }
  value = time;
  return NumberFault::none;
}

std::uint64_t ps_per_unit(std::string_view unit) {
  if (unit == "s") return ps_per_second;
  if (unit == "ms") return 1'000'000'000;
  if (unit == "us") return 1'000'000;
  if (unit == "100ns") return 100'000;
  if (unit == "ns") return 1'000;
  if (unit == "ps") return 1;
  return 0;
}

}  // namespace tessera
