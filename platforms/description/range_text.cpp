#include "platforms/description/range_text.hpp"

#include <charconv>
#include <cmath>

namespace tessera {

std::string number_text(double value) {
  char buffer[32];
  const bool whole = std::trunc(value) == value && std::fabs(value) < 1e15;
  const auto result = whole ? std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::fixed)
                            : std::to_chars(buffer, buffer + sizeof buffer, value);
  return std::string(buffer, result.ptr);
}

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const auto& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

std::string bound_text(double bound, Dimension dimension) {
  constexpr double past_64_bits = 18'446'744'073'709'551'616.0;
  const std::uint64_t amount = bound < past_64_bits ? static_cast<std::uint64_t>(bound) : ~std::uint64_t{0};
  return print_quantity(dimension, amount);
}

}  // namespace tessera
