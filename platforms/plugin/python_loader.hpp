#pragma once
// Layers and policies in Python: finds and opens what runs them (tessera_python-VERSION.so, and Python's own library before it).
#include <string>
#include <vector>

#include "platforms/plugin/tessera_policy.h"

namespace tessera {

/// What a library exports or a Python file defines; it lives as long as the process.
struct OfferedFirmware {
  std::vector<const tessera_layer*> layers;
  std::vector<const tessera_policy*> policies;
};

/// Of a Python file, in its order. InputError where Python or the library that runs it cannot be opened, and for what is wrong with the
/// file.
[[nodiscard]] OfferedFirmware offered_by_python(const std::string& file);

}  // namespace tessera
