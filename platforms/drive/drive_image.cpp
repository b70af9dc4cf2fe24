#include "platforms/drive/drive_image.hpp"

#include <algorithm>
#include <cstddef>
#include <span>

#include "base/error.hpp"
#include "firmware/hal/register_map.hpp"

namespace tessera {

namespace {

/// Of the DRAM what a core of 32 bits reaches; of the TCM the whole lines, as its reservations are.
riscv::ImageSpace space_of(const DriveConfig& config) {
  constexpr std::uint64_t line = 64;
  return {.dram = {hal::dram_base, std::uint64_t{1} << 31}, .tcm = {hal::tcm_base, config.controller.tcm.size.value() / line * line}};
}

constexpr const char* durability_symbol = "tessera_image_durability";

std::string text_of(std::span<const std::byte> object) {
  const auto* const text = reinterpret_cast<const char*>(object.data());
  return {text, std::find(text, text + object.size(), '\0')};
}

/// The text that a symbol of the image is; `what` it is to say.
std::string said_by(const riscv::ElfImage& image, const char* symbol, const char* what) {
  const auto name = image.object(symbol);
  if (!name) throw InputError(image.file() + ": has no symbol " + symbol + ", by which an image names " + what);
  return text_of(*name);
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
  static_cast<void>(image_needs_flushes(config));
}

std::optional<bool> image_needs_flushes(const DriveConfig& config) {
  const auto said = config.image == nullptr ? std::nullopt : config.image->object(durability_symbol);
  if (!said) return std::nullopt;
  const std::string word = text_of(*said);
  if (word != "volatile" && word != "durable")
    throw InputError(config.image->file() + ": its symbol " + durability_symbol + " is '" + word + "'; expected 'volatile' or 'durable'");
  return word == "volatile";
}

}  // namespace tessera
