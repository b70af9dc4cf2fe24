#pragma once
// The boot data as the firmware's own values.
#include <cstddef>
#include <optional>
#include <span>

#include "base/format.hpp"
#include "base/geometry.hpp"
#include "firmware/firmware_build.hpp"
#include "firmware/hal/boot_data.hpp"
#include "firmware/ports/flash_port.hpp"

namespace tessera::hal {

class BootReader {
 public:
  /// `data`, 8-byte aligned, stays where it is.
  explicit BootReader(const std::byte* data);

  [[nodiscard]] std::uint32_t tags() const { return static_cast<std::uint32_t>(header_.tags); }
  [[nodiscard]] DriveGeometry geometry() const;
  [[nodiscard]] FormatPlan plan() const;
  [[nodiscard]] std::optional<FlashShape> flash() const;
  /// Sets the parameters of layer and firmware.
  void configure(LayerFactory& layer) const;
  void configure(FirmwareConfig& firmware) const;

 private:
  template <class Entry>
  [[nodiscard]] std::span<const Entry> table(std::uint64_t offset, std::uint64_t count) const;

  const std::byte* data_;
  const BootData& header_;
};

}  // namespace tessera::hal
