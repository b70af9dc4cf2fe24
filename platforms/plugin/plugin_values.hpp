#pragma once
// Values of the model and of the firmware interface, each way.
#include <vector>

#include "firmware/translation_layer.hpp"
#include "platforms/plugin/tessera_firmware.h"

namespace tessera {

[[nodiscard]] tessera_flash_shape to_c(const FlashShape& shape);
[[nodiscard]] FlashShape from_c(const tessera_flash_shape& shape);

/// Points into `region`.
[[nodiscard]] tessera_region to_c(const Region& region);
[[nodiscard]] Region from_c(const tessera_region& region);

/// A geometry of the interface with the zones that it points to.
struct PluginGeometry {
  explicit PluginGeometry(const DriveGeometry& geometry);
  PluginGeometry(const PluginGeometry&) = delete;
  PluginGeometry& operator=(const PluginGeometry&) = delete;

  std::vector<tessera_zone> zones;
  tessera_geometry value;
};
[[nodiscard]] DriveGeometry from_c(const tessera_geometry& geometry);

}  // namespace tessera
