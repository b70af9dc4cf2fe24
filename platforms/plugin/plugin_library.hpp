#pragma once
// Layers and policies out of a shared library or a Python file (--firmware).
#include <filesystem>
#include <memory>
#include <vector>

#include "firmware/translation_layer.hpp"

namespace tessera {

class PluginPolicies;

struct FirmwareLibrary {
  std::filesystem::path file;  ///< empty: there is none
  unsigned patience = 10;      ///< seconds of processor time that one call may take
};

struct LoadedFirmware {
  std::vector<std::unique_ptr<LayerFactory>> layers;
  std::vector<std::shared_ptr<PluginPolicies>> policies;
};

/// Those that the library exports or the Python file defines, in its order; it stays loaded. InputError where it cannot be loaded, has
/// neither, or is made for another version of an interface.
[[nodiscard]] LoadedFirmware load_firmware(const FirmwareLibrary& library);

}  // namespace tessera
