#pragma once
// Flash in front of a layer, as a firmware is built with it: below the caches in DRAM a tier for writes, above them a read cache. An
// interface, so that an image without flash has no code for it.
#include <cstdint>
#include <memory>

#include "firmware/caches/drive_flash_config.hpp"
#include "firmware/translation_layer.hpp"

namespace tessera {

class FlashFront {
 public:
  virtual ~FlashFront() = default;
  /// The drive's ports with the flash that is left to the layer.
  [[nodiscard]] virtual Ports ports_of_layer() = 0;
  /// What the caches in DRAM are to be in front of.
  [[nodiscard]] virtual TranslationLayer& below_caches(TranslationLayer& layer) = 0;
  /// What the host's commands are to go to.
  [[nodiscard]] virtual TranslationLayer& above_caches(TranslationLayer& caches) = 0;
};

using MakeFlashFront = std::unique_ptr<FlashFront> (*)(const DriveFlashConfig& config, const Ports& ports);

/// Null where the description has no flash cache.
[[nodiscard]] std::unique_ptr<FlashFront> make_flash_front(const DriveFlashConfig& config, const Ports& ports);

}  // namespace tessera
