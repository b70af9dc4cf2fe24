#pragma once
// What firmware that is not ours, in a shared library or as an image, did against the rules of its interface: exit status 3, as a bug of
// the model, but named as the firmware's.
#include <cstdio>
#include <string>

#include "base/error.hpp"
#include "base/units.hpp"

namespace tessera {

class FirmwareFault : public ModelBug {
 public:
  using ModelBug::ModelBug;
};

/// "12.345678 ms", as all that firmware says is dated.
[[nodiscard]] inline std::string in_milliseconds(Picoseconds time) {
  char text[40];
  std::snprintf(text, sizeof text, "%.6f ms", static_cast<double>(time.value()) * 1e-9);
  return text;
}

}  // namespace tessera
