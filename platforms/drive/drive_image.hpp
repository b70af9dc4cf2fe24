#pragma once
// A firmware image (--elf) in place of the firmware that is linked to the model.
#include <filesystem>
#include <string>

#include "platforms/drive/drive_config.hpp"

namespace tessera {

/// Has `config` run the image in `file`; none: nothing changes. An image is made of one layer, which it names: that is the drive's, and
/// `layer`, where one was asked for, must be the same. InputError where the file is no image, or one of another layer.
void load_image(DriveConfig& config, const std::filesystem::path& file, const std::string& layer);

}  // namespace tessera
