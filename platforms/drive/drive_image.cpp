#include "platforms/drive/drive_image.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "firmware/hal/register_map.hpp"

namespace tessera {

namespace {

/// Of the DRAM what a core of 32 bits reaches; of the TCM the whole lines, as its reservations are.
riscv::ImageSpace space_of(const DriveConfig& config) {
  constexpr std::uint64_t line = 64;
  return {.dram = {hal::dram_base, std::uint64_t{1} << 31}, .tcm = {hal::tcm_base, config.controller.tcm.size.value() / line * line}};
}

/// The text that a symbol of the image is; `what` it is to say.
std::string said_by(const riscv::ElfImage& image, const char* symbol, const char* what) {
  const auto name = image.object(symbol);
  if (!name) throw InputError(image.file() + ": has no symbol " + symbol + ", by which an image names " + what);
  const auto* const text = reinterpret_cast<const char*>(name->data());
  return {text, std::find(text, text + name->size(), '\0')};
}

void check_version(const riscv::ElfImage& image) {
  const std::string version = said_by(image, "tessera_image_version", "the version of the registers that it was made for");
  const std::string own = std::to_string(hal::map_version);
  if (version != own)
    throw InputError(image.file() + ": made for version " + version + " of the registers, and this drive has version " + own +
                     "; build it anew (./dev firmware)");
}

}  // namespace

void load_image(DriveConfig& config, const std::filesystem::path& file, const std::string& layer) {
  if (file.empty()) return;
  auto image = std::make_shared<const riscv::ElfImage>(riscv::ElfImage::read(file, space_of(config)));
  check_version(*image);
  const std::string own = said_by(*image, "tessera_image_layer", "the layer that it was made of");
  if (!layer.empty() && layer != own) throw InputError(image->file() + ": made of layer " + own + ", and --layer asks for " + layer);
  config.layer = own;
  static_cast<void>(config.selected());
  config.image = std::move(image);
}

}  // namespace tessera
