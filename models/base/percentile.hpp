#pragma once
#include <string>

namespace tessera {

/// A percentile that the user named.
struct Percentile {
  std::string text;     ///< "99.99"
  double fraction = 0;  ///< 0.9999
  bool operator==(const Percentile&) const = default;

  /// The end of a metric's name: "p99_99", but "p999" for 99.9, as it has always been.
  [[nodiscard]] std::string suffix() const {
    if (text == "99.9") return "p999";
    std::string name = "p" + text;
    if (const auto point = name.find('.'); point != std::string::npos) name[point] = '_';
    return name;
  }
};

}  // namespace tessera
