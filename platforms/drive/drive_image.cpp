#include "platforms/drive/drive_image.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "firmware/hal/register_map.hpp"

namespace tessera {

namespace {

/// What a core of 32 bits reaches from the DRAM's first byte on.
constexpr riscv::ImageSpace space{hal::dram_base, std::uint64_t{1} << 31};

std::string layer_of(const riscv::ElfImage& image) {
  const auto name = image.object("tessera_image_layer");
  if (!name) throw InputError(image.file() + ": has no symbol tessera_image_layer, by which an image names the layer that it was made of");
  const auto* const text = reinterpret_cast<const char*>(name->data());
  return {text, std::find(text, text + name->size(), '\0')};
}

}  // namespace

void load_image(DriveConfig& config, const std::filesystem::path& file, const std::string& layer) {
  if (file.empty()) return;
  auto image = std::make_shared<const riscv::ElfImage>(riscv::ElfImage::read(file, space));
  const std::string own = layer_of(*image);
  if (!layer.empty() && layer != own) throw InputError(image->file() + ": made of layer " + own + ", and --layer asks for " + layer);
  config.layer = own;
  static_cast<void>(config.selected());
  config.image = std::move(image);
}

}  // namespace tessera
