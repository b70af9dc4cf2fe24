#pragma once
// Plain numbers and bounds as a user writes them, for messages and listings.
#include <string>

#include "base/parameter.hpp"
#include "platforms/description/quantity.hpp"

namespace tessera {

/// The shortest decimal that reads back to `value`; whole numbers below 1e15 without point or exponent.
[[nodiscard]] std::string number_text(double value);

/// Names with commas between them.
[[nodiscard]] std::string joined(const std::vector<std::string>& names);

/// A bound of a plain number, or of a quantity in its base unit.
[[nodiscard]] inline std::string bound_text(double bound) { return number_text(bound); }
[[nodiscard]] std::string bound_text(double bound, Dimension dimension);

/// " between 1 and 64", " of at least 1", or "" where nothing is bounded (a lower bound of 0 goes without saying).
/// `dimension` is that of a quantity, nothing for a plain number.
template <class... OptionalDimension>
[[nodiscard]] std::string range_clause(const Range& range, OptionalDimension... dimension) {
  if (range.max < std::numeric_limits<double>::infinity()) {
    return " between " + bound_text(range.min, dimension...) + " and " + bound_text(range.max, dimension...);
  }
  return range.min > 0 ? " of at least " + bound_text(range.min, dimension...) : "";
}

}  // namespace tessera
