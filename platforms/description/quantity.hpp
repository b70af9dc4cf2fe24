#pragma once
// Quantities as text: "1.3 ms", "40 MiB", "7200 rpm". Decimal arithmetic is exact: what a description says is what the model
// gets, to the picosecond, or it is an error; no number passes through floating point.
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "base/units.hpp"

namespace tessera {

/// What a quantity measures; amounts are counted in the base unit of models/base/units.hpp.
enum class Dimension : std::uint8_t {
  time,       ///< ps: ps ns us ms s min h
  size,       ///< B: B kB MB GB TB (powers of 1000), KiB MiB GiB TiB (powers of 1024)
  rate,       ///< B/s: the sizes a second, and bit/s kbit/s Mbit/s Gbit/s
  frequency,  ///< Hz: Hz kHz MHz GHz
  speed,      ///< rpm: rpm
  power,      ///< uW: uW mW W
  energy,     ///< pJ: pJ nJ uJ mJ J
};

/// A quantity that was read, or why it could not be.
struct QuantityReading {
  std::uint64_t amount = 0;  ///< in the base unit; meaningful only where `problem` is empty
  std::string problem;       ///< "", or half a sentence such as "the unit is missing"
};

/// Reads a decimal number followed by a unit; a space between them is optional, a sign or an exponent is not allowed.
/// Problems: not a number, missing or unknown unit, negative, not a whole count of base units, past 64 bits.
[[nodiscard]] QuantityReading read_quantity(Dimension dimension, std::string_view text);

/// The shortest text that read_quantity() turns back into exactly `amount`, with a number of at least 1 before its unit.
[[nodiscard]] std::string print_quantity(Dimension dimension, std::uint64_t amount);

/// The dimension with its article and an example, for messages: `a speed such as "7200 rpm"`.
[[nodiscard]] std::string_view expectation(Dimension dimension);

/// What an amount counts: "ps", "B", "uW".
[[nodiscard]] std::string_view base_unit(Dimension dimension);

/// The units that read_quantity() takes, smallest first.
[[nodiscard]] std::vector<std::string> unit_names(Dimension dimension);

/// The dimension of each amount type.
template <class Quantity>
inline constexpr Dimension dimension_of = Quantity::dimension_is_not_known;
template <>
inline constexpr Dimension dimension_of<Picoseconds> = Dimension::time;
template <>
inline constexpr Dimension dimension_of<Bytes> = Dimension::size;
template <>
inline constexpr Dimension dimension_of<BytesPerSecond> = Dimension::rate;
template <>
inline constexpr Dimension dimension_of<Hertz> = Dimension::frequency;
template <>
inline constexpr Dimension dimension_of<Rpm> = Dimension::speed;
template <>
inline constexpr Dimension dimension_of<Microwatts> = Dimension::power;
template <>
inline constexpr Dimension dimension_of<Picojoules> = Dimension::energy;

/// read_quantity() where the text stands alone. Throws InputError `expected a time such as "1.3 ms", found "7": the unit is missing`.
template <class Quantity>
[[nodiscard]] Quantity parse_quantity(std::string_view text) {
  const QuantityReading reading = read_quantity(dimension_of<Quantity>, text);
  if (reading.problem.empty()) return Quantity(reading.amount);
  throw InputError("expected " + std::string(expectation(dimension_of<Quantity>)) + ", found \"" + std::string(text) +
                   "\": " + reading.problem);
}

template <class Quantity>
[[nodiscard]] std::string to_text(Quantity quantity) {
  return print_quantity(dimension_of<Quantity>, quantity.value());
}

}  // namespace tessera
