#pragma once
// Figures in the units that one thinks in: 64.0 GiB, 43.6 ms, 1 h 40 min. Files keep every digit; this is for eyes.
#include <optional>
#include <string>
#include <string_view>

namespace tessera {

/// A metric's value in its unit ("ms", "B", "J", "1", ...); "-" where it is undefined. Three digits where more would say nothing.
[[nodiscard]] std::string figure_text(std::optional<double> value, std::string_view unit);
/// "5.0 %", "93 %"
[[nodiscard]] std::string percent_text(double share);

}  // namespace tessera
