#pragma once
// The drive's side of the boot data.
#include <cstddef>
#include <optional>
#include <vector>

#include "base/format.hpp"
#include "base/geometry.hpp"
#include "firmware/firmware_build.hpp"
#include "firmware/ports/flash_port.hpp"

namespace tessera::hal {

/// Of a drive without flash, `flash` is nothing. A region's name must be shorter than BootRegion::name.
[[nodiscard]] std::vector<std::byte> make_boot_data(const DriveGeometry& geometry, const FormatPlan& plan,
                                                    const std::optional<FlashShape>& flash, std::uint32_t tags, LayerFactory& layer,
                                                    FirmwareConfig& firmware);

}  // namespace tessera::hal
