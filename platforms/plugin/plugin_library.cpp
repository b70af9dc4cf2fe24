#include "platforms/plugin/plugin_library.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <cstring>

#include "base/error.hpp"
#include "platforms/plugin/plugin_factory.hpp"
#include "platforms/plugin/plugin_guard.hpp"
#include "platforms/plugin/python_loader.hpp"

namespace tessera {

namespace {

constexpr const char* entry = "tessera_firmware_layer";
constexpr std::uint32_t most_layers = 256;

using LayerAt = decltype(&tessera_firmware_layer);

LayerAt find_entry(void* library) {
  void* const symbol = ::dlsym(library, entry);
  LayerAt function = nullptr;
  static_assert(sizeof function == sizeof symbol);
  std::memcpy(&function, &symbol, sizeof function);  // ISO C++ has no cast from object to function pointers
  return function;
}

constexpr std::string_view python = ".py";

/// "; did you mean './my-log.so'?", of the libraries and Python files in the folder that the name is in.
std::string nearest_library(const std::filesystem::path& file) {
  std::vector<std::string> known;
  std::error_code error;
  for (std::filesystem::directory_iterator at(std::filesystem::absolute(file).parent_path(), error), end; !error && at != end;
       at.increment(error))
    if (at->path().extension() == ".so" || at->path().extension() == python) known.push_back(at->path().filename().string());
  std::ranges::sort(known);
  const std::string nearest = nearest_name(file.filename().string(), known);
  return nearest.empty() ? "" : "; did you mean '" + (file.parent_path() / nearest).string() + "'?";
}

/// The layers of a shared library, one after the other.
std::vector<const tessera_layer*> layers_of_library(const std::string& name, const std::filesystem::path& file) {
  void* const handle = ::dlopen(std::filesystem::absolute(file).c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) throw InputError("firmware " + name + " cannot be loaded: " + ::dlerror());
  const LayerAt layer_at = find_entry(handle);
  if (layer_at == nullptr)
    throw InputError("firmware " + name + ": it does not export " + entry +
                     "(), so it is no firmware for this program (tessera_firmware.h)");
  const PluginGuard guard(name, entry);
  std::vector<const tessera_layer*> layers;
  for (std::uint32_t i = 0; i < most_layers; ++i) {
    const tessera_layer* const code = layer_at(TESSERA_FIRMWARE_ABI, i);
    if (code == nullptr) break;
    layers.push_back(code);
  }
  if (layers.empty())
    throw InputError("firmware " + name + ": " + entry + "() gives no layer for version " + std::to_string(TESSERA_FIRMWARE_ABI) +
                     " of the firmware interface");
  return layers;
}

}  // namespace

std::vector<std::unique_ptr<LayerFactory>> load_firmware(const FirmwareLibrary& library) {
  const std::string name = library.file.string();
  if (!std::filesystem::is_regular_file(library.file))
    throw InputError("firmware " + name + ": there is no such file" + nearest_library(library.file));
  PluginGuard::set_patience(library.patience);
  std::vector<std::unique_ptr<LayerFactory>> layers;
  for (const tessera_layer* code : library.file.extension() == python ? layers_of_python(name) : layers_of_library(name, library.file))
    layers.push_back(std::make_unique<PluginFactory>(name, *code));
  return layers;
}

}  // namespace tessera
