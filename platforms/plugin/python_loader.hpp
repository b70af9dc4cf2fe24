#pragma once
// Layers in Python: finds and opens what runs them (tessera_python-VERSION.so, and Python's own library before it).
#include <string>
#include <vector>

#include "platforms/plugin/tessera_firmware.h"

namespace tessera {

/// The layers that a Python file defines, in its order; they live as long as the process. InputError where Python or the library that runs
/// its layers cannot be opened, and for what is wrong with the file.
[[nodiscard]] std::vector<const tessera_layer*> layers_of_python(const std::string& file);

}  // namespace tessera
