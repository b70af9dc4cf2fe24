#pragma once
// Layers out of a shared library or a Python file (--firmware).
#include <filesystem>
#include <memory>
#include <vector>

#include "firmware/translation_layer.hpp"

namespace tessera {

struct FirmwareLibrary {
  std::filesystem::path file;  ///< empty: there is none
  unsigned patience = 10;      ///< seconds of processor time that one call may take
};

/// Those that the library exports or the Python file defines, in its order; it stays loaded. InputError where it cannot be loaded, has
/// none, or is made for another version of the interface.
[[nodiscard]] std::vector<std::unique_ptr<LayerFactory>> load_firmware(const FirmwareLibrary& library);

}  // namespace tessera
