#pragma once
// A firmware image (--elf) in place of the firmware that is linked to the model.
#include <filesystem>
#include <optional>
#include <string>

#include "platforms/drive/drive_config.hpp"

namespace tessera {

/// Has `config` run the image in `file`; none: nothing changes. An image is made of one layer, which it names: that is the drive's, and
/// `layer`, where one was asked for, must be the same. InputError where the file is no image, or one of another layer.
void load_image(DriveConfig& config, const std::filesystem::path& file, const std::string& layer);

/// What the image of `config` promises in its symbol tessera_image_durability: true ("volatile") if a power cut may take completed writes
/// that no flush or FUA followed, false ("durable") if none. Empty: it does not say, or there is no image. InputError for another word.
[[nodiscard]] std::optional<bool> image_needs_flushes(const DriveConfig& config);

}  // namespace tessera
