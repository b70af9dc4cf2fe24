#include "platforms/output/figure_text.hpp"

#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <utility>

namespace tessera {

namespace {

using Scale = std::pair<std::string_view, double>;

constexpr double year = 365.25 * 86400;
constexpr double exact_integers = 1e15;
constexpr double four_digits = 999.5;  // what is rounded to a thousand at least
constexpr std::array<Scale, 8> seconds_of{
    {{"ps", 1e-12}, {"ns", 1e-9}, {"us", 1e-6}, {"ms", 1e-3}, {"s", 1}, {"min", 60}, {"h", 3600}, {"years", year}}};
constexpr std::array<Scale, 4> joules_of{{{"nJ", 1e-9}, {"uJ", 1e-6}, {"mJ", 1e-3}, {"J", 1}}};

std::optional<double> scale_of(auto const& scales, std::string_view unit) {
  for (const auto& [name, scale] : scales)
    if (name == unit) return scale;
  return std::nullopt;
}

std::string printed(const char* format, double value) {
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), format, value);
  return text.data();
}

/// 31289 -> "31,289"
std::string grouped(double value) {
  std::string text = printed("%.0f", value);
  const std::size_t first = text.starts_with('-') ? 1 : 0;
  for (std::size_t at = text.size(); at > first + 3;) text.insert(at -= 3, ",");
  return text;
}

/// Three digits of a value that its unit keeps below a thousand or so.
std::string three_digits(double value) { return printed(value >= 100 ? "%.0f" : value >= 10 ? "%.1f" : "%.2f", value); }

std::string number(double value) {
  if (value == 0) return "0";
  const bool whole = value == std::trunc(value) && std::fabs(value) < exact_integers;
  return std::fabs(value) >= four_digits || whole ? grouped(value) : printed("%.3g", value);
}

std::string size(double bytes) {
  constexpr std::array<const char*, 6> units{" B", " KiB", " MiB", " GiB", " TiB", " PiB"};
  std::size_t power = 0;
  for (; std::fabs(bytes) >= 1024 && power + 1 < units.size(); ++power) bytes /= 1024;
  const bool whole = bytes == std::trunc(bytes) && (power == 0 || bytes < 10);
  return (whole ? printed("%.0f", bytes) : three_digits(bytes)) + units[power];
}

std::string two_units(std::uint64_t whole, std::uint64_t large, std::uint64_t small, const char* large_name, const char* small_name) {
  return std::to_string(whole / large) + large_name + std::to_string(whole % large / small) + small_name;
}

/// In the largest unit of which there is one whole at least.
std::string scaled(double value, auto first, auto last) {
  auto chosen = first;
  for (auto scale = first; scale != last; ++scale)
    if (std::fabs(value) >= scale->second) chosen = scale;
  return three_digits(value / chosen->second) + " " + std::string(chosen->first);
}

std::string time(double seconds) {
  if (seconds == 0) return "0 s";
  if (seconds >= year) return three_digits(seconds / year) + " years";
  const auto whole = static_cast<std::uint64_t>(std::llround(seconds));
  if (whole >= 86400) return two_units(whole, 86400, 3600, " d ", " h");
  if (whole >= 3600) return two_units(whole, 3600, 60, " h ", " min");
  if (whole > 60) return two_units(whole, 60, 1, " min ", " s");
  return scaled(seconds, seconds_of.begin(), seconds_of.begin() + 5);
}

std::string energy(double joules) {
  constexpr std::array<Scale, 6> scales{{{"nJ", 1e-9}, {"uJ", 1e-6}, {"mJ", 1e-3}, {"J", 1}, {"kJ", 1e3}, {"MJ", 1e6}}};
  return joules == 0 ? "0 J" : scaled(joules, scales.begin(), scales.end());
}

}  // namespace

std::string figure_text(std::optional<double> value, std::string_view unit) {
  if (!value) return "-";
  if (const auto scale = scale_of(seconds_of, unit)) return time(*value * *scale);
  if (const auto scale = scale_of(joules_of, unit)) return energy(*value * *scale);
  if (unit == "B") return size(*value);
  if (unit == "B/s") return size(*value) + "/s";
  return number(*value) + (unit == "1" ? "" : " " + std::string(unit));
}

std::string percent_text(double share) {
  char text[32];
  std::snprintf(text, sizeof text, share >= 0.1 ? "%.0f %%" : "%.1f %%", 100 * share);
  return text;
}

}  // namespace tessera
