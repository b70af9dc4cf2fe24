#include "platforms/description/quantity.hpp"

#include <algorithm>
#include <span>

namespace tessera {

namespace {

using Wide = unsigned __int128;

/// One unit: `numerator / denominator` base units; only units of bits have a denominator.
struct Unit {
  std::string_view name;
  std::uint64_t numerator;
  std::uint64_t denominator = 1;
};

constexpr std::uint64_t kilo = 1'000;
constexpr std::uint64_t mega = kilo * kilo;
constexpr std::uint64_t giga = mega * kilo;
constexpr std::uint64_t tera = giga * kilo;
constexpr std::uint64_t kibi = 1'024;
constexpr std::uint64_t mebi = kibi * kibi;
constexpr std::uint64_t gibi = mebi * kibi;
constexpr std::uint64_t tebi = gibi * kibi;

constexpr Unit time_units[] = {{"ps", 1}, {"ns", kilo}, {"us", mega}, {"ms", giga}, {"s", tera}, {"min", 60 * tera}, {"h", 3'600 * tera}};
constexpr Unit size_units[] = {{"B", 1},     {"kB", kilo},  {"KiB", kibi}, {"MB", mega}, {"MiB", mebi},
                               {"GB", giga}, {"GiB", gibi}, {"TB", tera},  {"TiB", tebi}};
constexpr Unit rate_units[] = {{"bit/s", 1, 8}, {"B/s", 1},      {"kbit/s", kilo, 8}, {"kB/s", kilo}, {"KiB/s", kibi}, {"Mbit/s", mega, 8},
                               {"MB/s", mega},  {"MiB/s", mebi}, {"Gbit/s", giga, 8}, {"GB/s", giga}, {"GiB/s", gibi}};
constexpr Unit frequency_units[] = {{"Hz", 1}, {"kHz", kilo}, {"MHz", mega}, {"GHz", giga}};
constexpr Unit speed_units[] = {{"rpm", 1}};
constexpr Unit power_units[] = {{"uW", 1}, {"mW", kilo}, {"W", mega}};
constexpr Unit energy_units[] = {{"pJ", 1}, {"nJ", kilo}, {"uJ", mega}, {"mJ", giga}, {"J", tera}};

struct Kind {
  std::string_view expectation;
  std::string_view base_unit;
  std::string_view unit_of_zero;
  std::span<const Unit> units;
};

const Kind& kind_of(Dimension dimension) {
  static constexpr Kind kinds[] = {
      {"a time such as \"1.3 ms\"", "ps", "s", time_units},        {"a size such as \"40 MiB\"", "B", "B", size_units},
      {"a rate such as \"600 MB/s\"", "B/s", "B/s", rate_units},   {"a frequency such as \"500 MHz\"", "Hz", "Hz", frequency_units},
      {"a speed such as \"7200 rpm\"", "rpm", "rpm", speed_units}, {"a power such as \"5.3 W\"", "uW", "W", power_units},
      {"an energy such as \"2.1 nJ\"", "pJ", "J", energy_units},
  };
  return kinds[static_cast<std::size_t>(dimension)];
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view blanks = " \t";
  const auto first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

/// Digits without leading zeros and, behind the point, without trailing ones.
struct Decimal {
  std::string digits;
  std::size_t fraction_digits = 0;
};

/// Takes `12.5` off the front of `text`; no digits where there is no number.
Decimal take_decimal(std::string_view& text) {
  Decimal number;
  bool any = false;
  bool fraction = false;
  while (!text.empty() && (is_digit(text.front()) || (text.front() == '.' && any && !fraction))) {
    if (text.front() == '.') {
      fraction = true;
    } else {
      any = true;
      number.digits += text.front();
      number.fraction_digits += fraction ? 1 : 0;
    }
    text.remove_prefix(1);
  }
  if (!any) return number;
  while (number.fraction_digits > 0 && number.digits.back() == '0') {
    number.digits.pop_back();
    --number.fraction_digits;
  }
  number.digits.erase(0, std::min(number.digits.find_first_not_of('0'), number.digits.size() - 1));
  return number;
}

/// `amount` in `unit` as a decimal of at least 1, or "" where it is smaller or no decimal of 12 places is exact.
std::string decimal_in(const Unit& unit, std::uint64_t amount) {
  if (unit.denominator != 1 || amount < unit.numerator) return {};
  std::string text = std::to_string(amount / unit.numerator);
  std::uint64_t rest = amount % unit.numerator;
  if (rest != 0) text += '.';
  for (int places = 0; rest != 0; ++places) {
    if (places == 12) return {};
    rest *= 10;  // rest < 3.6e15, the picoseconds of an hour
    text += static_cast<char>('0' + rest / unit.numerator);
    rest %= unit.numerator;
  }
  return text;
}

}  // namespace

std::string_view base_unit(Dimension dimension) { return kind_of(dimension).base_unit; }

std::string_view expectation(Dimension dimension) { return kind_of(dimension).expectation; }

std::vector<std::string> unit_names(Dimension dimension) {
  std::vector<std::string> names;
  for (const Unit& unit : kind_of(dimension).units) names.emplace_back(unit.name);
  return names;
}

QuantityReading read_quantity(Dimension dimension, std::string_view text) {
  const auto problem = [](std::string what) { return QuantityReading{0, std::move(what)}; };
  std::string_view rest = trimmed(text);
  if (rest.starts_with('-')) return problem("it is negative");
  const Decimal number = take_decimal(rest);
  if (number.digits.empty()) return problem("it does not begin with a number");

  std::string name(trimmed(rest));
  if (name.empty()) return problem("the unit is missing");
  if (name.starts_with("\u00b5")) name.replace(0, std::string_view("\u00b5").size(), "u");  // the micro sign
  const auto& units = kind_of(dimension).units;
  const auto unit = std::find_if(units.begin(), units.end(), [&name](const Unit& candidate) { return candidate.name == name; });
  if (unit == units.end()) return problem(unknown_name("unit", name, unit_names(dimension)));

  // 22 digits times an hour's 3.6e15 ps stay below 2^128; more digits are past 64 bits or below a base unit.
  constexpr std::size_t most_digits = 22;
  if (number.digits.size() > most_digits + number.fraction_digits) return problem("it is past 64 bits");
  if (number.digits.size() > most_digits || number.fraction_digits > most_digits) return problem("it has more than 22 digits");
  Wide value = 0;
  for (const char digit : number.digits) value = value * 10 + static_cast<unsigned>(digit - '0');
  Wide divisor = unit->denominator;
  for (std::size_t i = 0; i < number.fraction_digits; ++i) divisor *= 10;
  const Wide scaled = value * unit->numerator;
  if (scaled / divisor > ~std::uint64_t{0}) return problem("it is past 64 bits");
  if (scaled % divisor != 0) return problem("it is no whole number of " + std::string(kind_of(dimension).base_unit));
  return {static_cast<std::uint64_t>(scaled / divisor), ""};
}

std::string print_quantity(Dimension dimension, std::uint64_t amount) {
  const Kind& kind = kind_of(dimension);
  if (amount == 0) return "0 " + std::string(kind.unit_of_zero);
  std::string shortest;
  const auto rank = [](const std::string& text) { return std::pair(text.size(), text.find('.') != std::string::npos); };
  for (const Unit& unit : kind.units) {
    std::string text = decimal_in(unit, amount);
    if (text.empty()) continue;
    text += ' ' + std::string(unit.name);
    if (shortest.empty() || rank(text) < rank(shortest)) shortest = std::move(text);
  }
  return shortest;
}

}  // namespace tessera
